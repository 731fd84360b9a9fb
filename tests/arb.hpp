// Arb, by itself until FLINT 3 took it in; its balls as values, and as numbers with operators. Knows nothing of what is
// judged by it.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>  // before it: FLINT 3 declares conversions of MPFR's numbers only then

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#include <flint/fmpq.h>
#else
#include <arb.h>
#endif

namespace attncert {

// A ball that calls of Arb fill and read, each at a precision of its own.
class ArbValue {
 public:
  ArbValue() { arb_init(value_); }
  explicit ArbValue(double exact) : ArbValue() { arb_set_d(value_, exact); }
  ArbValue(const mpq_class& value, slong bits) : ArbValue() {
    fmpq_t rational;
    fmpq_init(rational);
    fmpq_set_mpq(rational, value.get_mpq_t());
    arb_set_fmpq(value_, rational, bits);
    fmpq_clear(rational);
  }
  ArbValue(const ArbValue& other) : ArbValue() { arb_set(value_, other.value_); }
  ArbValue& operator=(const ArbValue& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~ArbValue() { arb_clear(value_); }

  arb_ptr get() { return value_; }
  arb_srcptr get() const { return value_; }
  bool zero() const { return arb_is_zero(value_) != 0; }
  bool is_finite() const { return arb_is_finite(value_) != 0; }

 private:
  arb_t value_;
};

// The same with operators at one precision, so that a test can write a definition as the paper does.
template <slong bits>
class ArbNumber : public ArbValue {
 public:
  ArbNumber() = default;
  ArbNumber(double exact) : ArbValue(exact) {}                  // implicit: formulas mix numbers and balls
  ArbNumber(const mpq_class& value) : ArbValue(value, bits) {}  // rounded outwards

  friend ArbNumber operator+(const ArbNumber& a, const ArbNumber& b) { return made(arb_add, a, b); }
  friend ArbNumber operator-(const ArbNumber& a, const ArbNumber& b) { return made(arb_sub, a, b); }
  friend ArbNumber operator*(const ArbNumber& a, const ArbNumber& b) { return made(arb_mul, a, b); }
  friend ArbNumber operator/(const ArbNumber& a, const ArbNumber& b) { return made(arb_div, a, b); }
  friend ArbNumber pow(const ArbNumber& a, const ArbNumber& b) { return made(arb_pow, a, b); }
  friend ArbNumber& operator+=(ArbNumber& a, const ArbNumber& b) { return a = a + b; }
  friend ArbNumber exp(const ArbNumber& a) { return made(arb_exp, a); }
  friend ArbNumber log(const ArbNumber& a) { return made(arb_log, a); }
  friend ArbNumber tanh(const ArbNumber& a) { return made(arb_tanh, a); }
  friend ArbNumber sqrt(const ArbNumber& a) { return made(arb_sqrt, a); }
  friend ArbNumber abs(const ArbNumber& a) {
    ArbNumber result;
    arb_abs(result.get(), a.get());
    return result;
  }
  friend bool certainly_less(const ArbNumber& a, const ArbNumber& b) { return arb_lt(a.get(), b.get()) != 0; }

 private:
  template <class Operation, class... Operands>
  static ArbNumber made(Operation operation, const Operands&... operands) {
    ArbNumber result;
    operation(result.get(), operands.get()..., bits);
    return result;
  }
};

}  // namespace attncert
