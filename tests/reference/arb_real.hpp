// Arb with operators, so that a test can write a definition as the paper does; and the balls of a row's logits.
#pragma once

#include <vector>

#include "reference/row.hpp"
#include "tests/reference/arb_ball.hpp"

namespace attncert {

inline constexpr slong real_bits = 4096;  // a moderate row needs no shift: exp(+-2000) beside 1 keeps 1000 bits

class Real {
 public:
  Real() = default;
  Real(double value) : Real(exact(value)) {}  // implicit: definitions mix numbers and balls
  Real(const Rational& value) : ball_(value, real_bits) {}
  explicit Real(const Interval& value) {
    arb_set_interval_mpfr(get(), value.engine().left(), value.engine().right(), real_bits);
  }
  const ArbBall& ball() const { return ball_; }
  arb_ptr get() { return ball_.get(); }
  arb_srcptr get() const { return ball_.get(); }
  bool is_finite() const { return arb_is_finite(get()) != 0; }

 private:
  ArbBall ball_;
};

#define ATTNCERT_REAL_OPERATOR(symbol, function)              \
  inline Real operator symbol(const Real& a, const Real& b) { \
    Real result;                                              \
    function(result.get(), a.get(), b.get(), real_bits);      \
    return result;                                            \
  }
ATTNCERT_REAL_OPERATOR(+, arb_add)
ATTNCERT_REAL_OPERATOR(-, arb_sub)
ATTNCERT_REAL_OPERATOR(*, arb_mul)
ATTNCERT_REAL_OPERATOR(/, arb_div)
#undef ATTNCERT_REAL_OPERATOR
inline Real& operator+=(Real& a, const Real& b) { return a = a + b; }

#define ATTNCERT_REAL_FUNCTION(name, function)  \
  inline Real name(const Real& a) {             \
    Real result;                                \
    function(result.get(), a.get(), real_bits); \
    return result;                              \
  }
ATTNCERT_REAL_FUNCTION(exp, arb_exp)
ATTNCERT_REAL_FUNCTION(log, arb_log)
ATTNCERT_REAL_FUNCTION(tanh, arb_tanh)
ATTNCERT_REAL_FUNCTION(sqrt, arb_sqrt)
#undef ATTNCERT_REAL_FUNCTION

inline Real pow(const Real& a, const Real& b) {
  Real result;
  arb_pow(result.get(), a.get(), b.get(), real_bits);
  return result;
}
inline Real abs(const Real& a) {
  Real result;
  arb_abs(result.get(), a.get());
  return result;
}
inline bool certainly_less(const Real& a, const Real& b) { return arb_lt(a.get(), b.get()) != 0; }
inline bool meets(const Interval& interval, const Real& real) { return meets(interval, real.ball()); }

// z_i / T of a row's entries; those of absent ones are never read.
inline std::vector<Real> scaled_logits(const LogitRow& row) {
  std::vector<Real> scaled(row.logits.size());
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i)) scaled[i] = Real(Rational(exact(row.logits[i]) / exact(row.temperature)));
  return scaled;
}

// Weights exp(x_i) over their sum, by Arb, with the largest of the present x taken out.
inline std::vector<Real> arb_softmax(const LogitRow& row, const std::vector<Real>& x) {
  std::size_t top = row.logits.size();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i) && (top == row.logits.size() || certainly_less(x[top], x[i]))) top = i;
  std::vector<Real> weights(x.size());
  Real total;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i)) total += weights[i] = exp(x[i] - x[top]);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i)) weights[i] = weights[i] / total;
  return weights;
}

}  // namespace attncert
