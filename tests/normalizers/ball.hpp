// Arb balls as values, and how far a computed number is from one: what the tests' own truths have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/arb.hpp"

namespace attncert::oracle {

class Ball {
 public:
  Ball() { arb_init(value_); }
  explicit Ball(double exact) : Ball() { arb_set_d(value_, exact); }
  Ball(const Ball& other) : Ball() { arb_set(value_, other.value_); }
  Ball& operator=(const Ball& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }
  arb_ptr get() { return value_; }
  arb_srcptr get() const { return value_; }

 private:
  arb_t value_;
};

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

// In units in the last place of the exact value, rounded up; infinite where the computed one is NaN, or has no business
// to be infinite.
template <class T>
double error_in_ulp(T computed, const Ball& exact) {
  if (std::isnan(computed)) return std::numeric_limits<double>::infinity();
  constexpr long lowest = std::numeric_limits<T>::min_exponent - 1, digits = std::numeric_limits<T>::digits;
  const long exponent = exponent_of(exact);
  if (std::isinf(computed)) {  // right only where rounding leaves the format
    return exponent > std::numeric_limits<T>::max_exponent - 1 ? 0 : std::numeric_limits<double>::infinity();
  }
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
