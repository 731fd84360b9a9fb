// Private to softmax and log-softmax: x = (z - max z) / T of the unmasked positions, once for each distinct logit.
// Equal logits get one enclosure, so ties are equal to the bit; the largest gets the point 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/interval.hpp"

namespace attncert::reference {

struct Exponents {
  static constexpr std::size_t masked = ~std::size_t{0};
  std::vector<Interval> distinct;  // decreasing; the first is 0
  std::vector<std::size_t> count;  // how many positions have it
  std::vector<std::size_t> index;  // of each position: which of the distinct ones, or masked
};

// Bits that the terms carry beyond those asked for. x is rounded to 2^-(bits + 40) relatively; exp(x) is 0 or infinite
// to MPFR beyond |x| = 2^30, so exp(x) is still good to 2^-(bits + 10) relatively; a sum of 2^20 terms loses 20 of 40
// bits.
inline constexpr int guard_bits = 40;
Precision working(Precision precision);  // with the guard bits, and at least a double's significand

Exponents exponents(std::span<const Rational> logits, const Rational& temperature, Precision working_precision,
                    std::span<const std::uint8_t> mask);
Exponents exponents(std::span<const double> logits, double temperature, Precision working_precision,
                    std::span<const std::uint8_t> mask);

// Of each position the value of its distinct logit, and `masked` at masked ones. Takes `x` apart: long rows do not hold
// everything twice.
std::vector<Interval> by_position(Exponents x, std::vector<Interval> values, const Interval& masked);

// count[k] terms of each exp(distinct[k]); without_largest leaves one of the terms exp(0) = 1 out.
Interval sum_of_exponentials(const Exponents& x, std::span<const Interval> exponentials, bool without_largest);

}  // namespace attncert::reference
