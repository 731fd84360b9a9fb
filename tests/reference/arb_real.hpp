// Arb with room for definitions written as the paper does, and the balls of a row's logits.
#pragma once

#include <vector>

#include "reference/row.hpp"
#include "tests/reference/arb_ball.hpp"

namespace attncert {

inline constexpr slong real_bits = 4096;  // a moderate row needs no shift: exp(+-2000) beside 1 keeps 1000 bits

using Real = ArbNumber<real_bits>;

inline Real real_of(const Interval& value) {
  Real real;
  arb_set_interval_mpfr(real.get(), value.engine().left(), value.engine().right(), real_bits);
  return real;
}

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
