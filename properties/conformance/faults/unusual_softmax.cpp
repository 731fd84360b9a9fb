// Correct softmax and log-softmax kernels of unusual form. Where one rounds to less than f64, its text says why it
// still keeps the budget of the suite's own kernel.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/blockwise.hpp"
#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"

namespace attncert::plain {
namespace {

Real from_the_end(const Row&, std::span<const Real> terms) {
  double sum = 0;
  for (std::size_t i = terms.size(); i-- > 0;) sum += static_cast<double>(terms[i]);
  return static_cast<Real>(sum);
}

Real smallest_first(const Row&, std::span<const Real> terms) {
  Reals sorted(terms.begin(), terms.end());
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (const Real term : sorted) sum += static_cast<double>(term);
  return static_cast<Real>(sum);
}

double pairwise(std::span<const Real> terms) {
  if (terms.size() == 1) return static_cast<double>(terms[0]);
  return pairwise(terms.first(terms.size() / 2)) + pairwise(terms.subspan(terms.size() / 2));
}

Real kahan_f32(const Row&, std::span<const Real> terms) {  // relative error 2^-23 + 2^-24 of rounding the terms
  float sum = 0, lost = 0;
  for (const Real term : terms) {
    const float next = static_cast<float>(term) - lost, total = sum + next;
    lost = (total - sum) - next;
    sum = total;
  }
  return static_cast<Real>(sum);
}

Steps base_two() {
  return {.exponential = [](Real x) { return std::exp2(x * 1.442695040888963407359924681L); }};
}

Steps by_reciprocal() {
  return {.weight = [](const Row&, Real term, Real sum) {
    return static_cast<Real>(static_cast<double>(term) * static_cast<double>(1 / sum));
  }};
}

// Subtracts the largest logit plus T / 4, as kernels do that only know a bound of the largest logit beforehand.
Steps above_the_largest() {
  return {.reference = [](const Row& row) { return largest_present(row) + row.t() / 4; }};
}

// Absent entries stay in the loops as logits of -inf and contribute exp(-inf) = 0.
void fused_mask(Row& row) {
  const Real top = largest_present(row);
  Real sum = 0;
  const auto term = [&](std::size_t i) {
    const Real z = row.visible(i) ? row.z(i) : -std::numeric_limits<Real>::infinity();
    return std::exp((z - top) / row.t());
  };
  for (std::size_t i = 0; i < row.length(); ++i) sum += term(i);
  for (std::size_t i = 0; i < row.length(); ++i) row.out[i] = term(i) / sum;
}

// Three passes in f32: exponent, exponential and quotient are rounded to f32, the sum is compensated. z - max alone may
// be beyond the floats where its quotient by T is small.
Steps three_pass() {
  return {.exponent = [](const Row& row, std::size_t i, Real top) {
    return narrowed(f32, scaled_difference(row, i, top));
  }};
}

// 1 / p_i = sum_j exp(z_j - z_i) needs no maximum. It is quadratic in the length, so long rows use the usual formula.
void sums_of_ratios(Row& row) {
  if (row.length() > 256) return softmax()(row);
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.present(i)) continue;
    Real sum = 0;
    for (std::size_t j = 0; j < row.length(); ++j)
      if (row.present(j)) sum += std::exp((row.z(j) - row.z(i)) / row.t());
    row.out[i] = 1 / sum;
  }
}

// ln(p) by merged parts: x - lse with both at most 0 and L, in long double.
LogSteps base_two_logarithm() {
  return {.steps = base_two(), .entry = [](const Row&, Real x, Real rest) {
            return x - (rest < 0x1p-8L ? std::log1p(rest) : std::log2(1 + rest) * 0.693147180559945309417232121458L);
          }};
}

void log_of_online_sum(Row& row) {
  Real top = -std::numeric_limits<Real>::infinity(), others = 0;  // the sum without one largest term
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.present(i)) continue;
    if (row.z(i) <= top) {
      others += std::exp((row.z(i) - top) / row.t());
    } else {
      if (!std::isinf(top)) others = (others + 1) * std::exp((top - row.z(i)) / row.t());
      top = row.z(i);
    }
  }
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) row.out[i] = (row.z(i) - top) / row.t() - std::log1p(others);
}

}  // namespace

std::vector<Fault> unusual_softmax() {
  const auto soft = [](const char* name, attncert_dtype dtype, const char* text, RowFunction row) {
    return right(name, "softmax", dtype, text, std::move(row));
  };
  const auto log = [](const char* name, attncert_dtype dtype, const char* text, RowFunction row) {
    return right(name, "log-softmax", dtype, text, std::move(row));
  };
  return {
      soft("softmax.plain", f32, "long double and a compensated sum", softmax()),
      soft("softmax.f64-inside", f64, "long double inside f64", softmax()),
      soft("softmax.f16", f16, "f16 rows, wide arithmetic", softmax()),
      soft("softmax.bf16", bf16, "bf16 rows, wide arithmetic", softmax()),
      soft("softmax.reversed", f32, "an f64 sum from the last to the first", softmax({.sum = from_the_end})),
      soft("softmax.sorted-sum", f32, "an f64 sum of the sorted terms", softmax({.sum = smallest_first})),
      soft(
          "softmax.pairwise", f32, "an f64 sum by halves",
          softmax({.sum = [](const Row&, std::span<const Real> terms) { return static_cast<Real>(pairwise(terms)); }})),
      soft("softmax.kahan-f32", f32, "a compensated f32 sum: at most 1.5 ulp of the sum", softmax({.sum = kahan_f32})),
      soft("softmax.base-2", f32, "exp2 of x log2(e)", softmax(base_two())),
      soft("softmax.reciprocal", f32, "multiplies by 1 / sum in f64", softmax(by_reciprocal())),
      soft("softmax.bound-for-max", f32, "a bound above the maximum is subtracted", softmax(above_the_largest())),
      soft("softmax.online", f32, "one pass, entry by entry, with rescaling", blockwise_softmax({.block = 1})),
      soft("softmax.blocks", f32, "blocks of 48 with rescaling", blockwise_softmax({.block = 48})),
      soft("softmax.f16-blocks", f16, "f16 in blocks of 16, carried wide", blockwise_softmax({.block = 16})),
      soft("softmax.split-merge", f32, "5 parts whose log-sum-exps are merged", split_softmax(5)),
      soft("softmax.fused-mask", f32, "masked entries are logits of -inf",
           guarded(default_contract("softmax"), fused_mask)),
      soft("softmax.ratios", f32, "1 / sum of exp(z_j - z_i), without a maximum",
           guarded(default_contract("softmax"), sums_of_ratios)),
      right("softmax.three-pass", "softmax", f32, "(z - max) / T rounded to f32: the budget of three-pass kernels",
            softmax(three_pass()), "three-pass"),
      log("log-softmax.plain", f32, "long double, log1p of the sum without its largest term", log_softmax()),
      log("log-softmax.base-2", f32, "log2 and exp2", log_softmax(base_two_logarithm())),
      log("log-softmax.reversed", f32, "an f64 sum from the last to the first",
          log_softmax({.steps = {.sum = from_the_end}})),
      log("log-softmax.online", f32, "one pass with rescaling; the largest term kept apart",
          guarded(default_contract("log-softmax"), log_of_online_sum)),
      log("log-softmax.f16", f16, "f16 rows, wide arithmetic", log_softmax()),
      log("log-softmax.bf16", bf16, "bf16 rows, wide arithmetic", log_softmax()),
  };
}

}  // namespace attncert::plain
