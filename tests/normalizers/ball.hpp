// How far a computed number is from a ball: what the tests' own truths have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/arb.hpp"

namespace attncert::oracle {

using Ball = ArbValue;

// Bits: sums and differences of two doubles (2,200 bits apart) and of their balls.
inline constexpr slong kExact = 5000;

// floor(log2 |value|), far below everything for 0.
inline long exponent_of(const Ball& value) {
  arf_t size;
  arf_init(size);
  arb_get_abs_ubound_arf(size, value.get(), 60);
  const long exponent = arf_is_zero(size) != 0 ? std::numeric_limits<int>::min() : arf_abs_bound_lt_2exp_si(size) - 1;
  arf_clear(size);
  return exponent;
}

// |computed - exact| in units in the last place of the exact value, rounded up; infinite where `computed` is NaN, or
// infinite without the exact value leaving the format on that side, or finite where it does.
template <class T>
double error_in_ulp(T computed, const Ball& exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  constexpr long lowest = std::numeric_limits<T>::min_exponent - 1, digits = std::numeric_limits<T>::digits;
  if (std::isnan(computed)) return wrong;
  const long exponent = exponent_of(exact);
  if (exponent > std::numeric_limits<T>::max_exponent - 1) {
    const bool right = std::isinf(computed) && (computed > 0 ? arb_is_positive : arb_is_negative)(exact.get()) != 0;
    return right ? 0 : wrong;
  }
  if (std::isinf(computed)) return wrong;
  Ball error(static_cast<double>(computed));
  arb_sub(error.get(), error.get(), exact.get(), kExact);
  arb_mul_2exp_si(error.get(), error.get(), digits - 1 - std::max(exponent, lowest));
  arf_t bound;
  arf_init(bound);
  arb_get_abs_ubound_arf(bound, error.get(), 60);
  const double ulp = arf_get_d(bound, ARF_RND_UP);
  arf_clear(bound);
  return ulp;
}

}  // namespace attncert::oracle
