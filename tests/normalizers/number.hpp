// Real numbers for the tests' own truth: Arb balls at 320 bits with operators. Inputs are doubles, so each difference
// of two logits and each z + b T carries one rounding of 2^-320; no formula here loses more than 2^60 of that.
#pragma once

#include <cmath>
#include <limits>

#include "tests/arb.hpp"

namespace attncert::oracle {

class Number {
 public:
  static constexpr slong kBits = 320;

  Number() { arb_init(value_); }
  Number(double exact) : Number() { arb_set_d(value_, exact); }  // implicit: formulas mix both
  Number(const Number& other) : Number() { arb_set(value_, other.value_); }
  Number& operator=(const Number& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Number() { arb_clear(value_); }
  arb_srcptr get() const { return value_; }

  friend Number operator+(const Number& a, const Number& b) { return made(arb_add, a, b); }
  friend Number operator-(const Number& a, const Number& b) { return made(arb_sub, a, b); }
  friend Number operator*(const Number& a, const Number& b) { return made(arb_mul, a, b); }
  friend Number operator/(const Number& a, const Number& b) { return made(arb_div, a, b); }
  friend Number exp(const Number& a) {
    Number result;
    arb_exp(result.value_, a.value_, kBits);
    return result;
  }
  friend bool certainly_less(const Number& a, const Number& b) { return arb_lt(a.value_, b.value_) != 0; }
  bool zero() const { return arb_is_zero(value_) != 0; }

  // |computed - this| in units in the last place of this, rounded up; infinite where `computed` is NaN or has no
  // business to be infinite.
  template <class T>
  double error_of(T computed) const {
    constexpr double wrong = std::numeric_limits<double>::infinity();
    constexpr long lowest = std::numeric_limits<T>::min_exponent - 1, digits = std::numeric_limits<T>::digits;
    if (std::isnan(computed)) return wrong;
    arf_t bound;
    arf_init(bound);
    arb_get_abs_ubound_arf(bound, value_, 60);
    const bool underflows = arf_is_zero(bound) != 0 || arf_cmpabs_2exp_si(bound, lowest) < 0;
    const bool overflows = arf_cmpabs_2exp_si(bound, std::numeric_limits<T>::max_exponent) >= 0;
    const long exponent = underflows || overflows ? lowest : arf_abs_bound_lt_2exp_si(bound) - 1;
    double error = wrong;
    if (overflows) {
      error = std::isinf(computed) && (computed > 0) == (arb_is_positive(value_) != 0) ? 0 : wrong;
    } else if (!std::isinf(computed)) {
      Number difference = *this - static_cast<double>(computed);
      arb_mul_2exp_si(difference.value_, difference.value_, digits - 1 - exponent);
      arb_get_abs_ubound_arf(bound, difference.value_, 60);
      error = arf_get_d(bound, ARF_RND_UP);
    }
    arf_clear(bound);
    return error;
  }

 private:
  template <class Operation>
  static Number made(Operation operation, const Number& a, const Number& b) {
    Number result;
    operation(result.value_, a.value_, b.value_, kBits);
    return result;
  }

  arb_t value_;
};

}  // namespace attncert::oracle
