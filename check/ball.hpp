// Ball: a real number known to lie in an interval, over Arb (F. Johansson, IEEE Trans. Comput. 66, 2017).
// Every operation rounds outward at the precision the ball carries; a comparison is true only when it is certain.
#pragma once

#include <gmpxx.h>

#include <string>

#include "check/arb.hpp"

namespace attncert::check {

using Rational = mpq_class;

class Ball {
 public:
  explicit Ball(slong bits) : bits_(bits) { arb_init(value_); }  // exactly 0
  Ball(const Rational& exact, slong bits) : Ball(bits) {
    fmpq_t quotient;
    fmpq_init(quotient);
    fmpq_set_mpq(quotient, exact.get_mpq_t());
    arb_set_fmpq(value_, quotient, bits);
    fmpq_clear(quotient);
  }
  Ball(const Ball& other) : Ball(other.bits_) { arb_set(value_, other.value_); }
  Ball& operator=(const Ball& other) {
    arb_set(value_, other.value_);
    bits_ = other.bits_;
    return *this;
  }
  ~Ball() { arb_clear(value_); }
  slong bits() const { return bits_; }

  friend Ball operator+(const Ball& a, const Ball& b) { return of(arb_add, a, b); }
  friend Ball operator-(const Ball& a, const Ball& b) { return of(arb_sub, a, b); }
  friend Ball operator*(const Ball& a, const Ball& b) { return of(arb_mul, a, b); }
  friend Ball operator/(const Ball& a, const Ball& b) { return of(arb_div, a, b); }
  friend Ball max(const Ball& a, const Ball& b) { return of(arb_max, a, b); }
  // The root of a number known to be >= 0: what a ball has below 0 is rounding.
  friend Ball sqrt(const Ball& a) { return of(arb_sqrtpos, a); }
  friend Ball exp(const Ball& a) { return of(arb_exp, a); }
  friend Ball log(const Ball& a) { return of(arb_log, a); }
  friend bool certainly_greater(const Ball& a, const Ball& b) { return arb_gt(a.value_, b.value_) != 0; }
  friend bool certainly_at_most(const Ball& a, const Ball& b) { return arb_le(a.value_, b.value_) != 0; }

  const arb_struct* get() const { return value_; }
  arb_struct* get() { return value_; }
  Ball middle() const {  // exact, somewhere inside
    Ball result(bits_);
    arb_get_mid_arb(result.value_, value_);
    return result;
  }
  std::string text() const {  // a decimal interval that encloses the ball
    char* digits = arb_get_str(value_, 20, 0);
    std::string result = digits;
    flint_free(digits);
    return result.front() == '[' ? result : "[" + result + "]";
  }

 private:
  template <class Operation, class... Rest>
  static Ball of(Operation operation, const Ball& a, const Rest&... rest) {
    Ball result(a.bits_);
    operation(result.value_, a.value_, rest.value_..., a.bits_);
    return result;
  }
  arb_t value_;
  slong bits_;
};

}  // namespace attncert::check
