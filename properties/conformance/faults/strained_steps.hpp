// Plain kernels of a class of budgets (docs/budgets.md) whose every rounding goes the wrong way: each step errs by
// `strain` times the most that the class lets it err. With 1 they are members of their class that nearly use it; with
// more, faults that only just exceed it.
#pragma once

#include "properties/conformance/faults/fault_lists.hpp"

namespace attncert::plain {

struct Strained {
  enum class Sum : std::uint8_t { pairwise, running, lanes, compensated, online };

  attncert_dtype dtype = f32;
  Real strain = 1;
  Sum sum = Sum::pairwise;
  std::size_t width = 1;               // of lanes, of a block
  Real exponential = 1, exponent = 0;  // ulp; roundings, 0 as its class has it
  bool shifted = true, log1p = false, saved = false;
  Real threshold = 0;  // what a threshold is off by, where that is stated

  Real u() const { return strain * (dtype == f64 ? 0x1p-53L : 0x1p-24L); }
  Real of_exponential() const { return 2 * exponential; }
  Real of_exponent(const Row& row) const { return exponent != 0 ? exponent : row.temperature == 1 ? 1 : 3; }
  // So many roundings, up (1) or down (-1).
  Real off(Real value, Real direction, Real roundings = 1) const { return value * (1 + direction * roundings * u()); }
  // Every addition rounds in that direction; the terms with the largest contribution go through most.
  Real total(Reals terms, Real direction) const;
};

// Weights of the exponential family, the terms of the separable one and their shares; heights over a threshold.
Reals strained_weights(std::string_view normalizer, const Row& row, const Strained& by);
Reals strained_terms(std::string_view normalizer, const Row& row, const Strained& by);
Reals strained_shares(const Strained& by, const Reals& terms, Real sink = 0);
// z / T + b, and its logistic.
Real strained_argument(const Row& row, const Strained& by, std::size_t i, Real bias, Real to);
Real strained_logistic(const Row& row, const Strained& by, std::size_t i, Real bias, Real to);
struct StrainedHeights {
  Reals height;
  Real power;  // of the heights
};
StrainedHeights strained_heights(std::string_view normalizer, const Row& row, const Strained& by);

RowFunction strained_forward(std::string_view normalizer, const Strained& by);
RowFunction strained_derivative(std::string_view normalizer, const Strained& by);
// The kernel of any normalizer. The name outlives it.
RowFunction strained(std::string_view normalizer, const Strained& by);

}  // namespace attncert::plain
