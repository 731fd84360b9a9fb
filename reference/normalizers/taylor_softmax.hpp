// Taylor softmax of even order n: F_n(z_i) / sum_j F_n(z_j), F_n(x) = sum of x^k / k! for k <= n, which is positive.
#pragma once

#include "reference/normalizers/normalizer.hpp"
#include "reference/normalizers/term_sum.hpp"

namespace attncert::reference {

class TaylorSum final : public TermSum {
 public:
  explicit TaylorSum(const LogitRow& row);
  // F_order(z / T) for any order; relative width about 2^-precision where it is not 0.
  Interval polynomial(std::uint32_t order, double logit, Precision precision) const;
  double screen_slope_ratio(double logit) const;  // F_(n-1) / F_n

 protected:
  Interval compute(double logit, Precision precision) override;
  long double screen_term(double logit) override;

 private:
  long double screen_polynomial(std::uint32_t order, double logit) const;  // F_order / scale^order

  std::uint32_t order_;
  long double scale_;  // max(1, max |z| / T)
};

extern const Normalizer taylor_softmax_normalizer;

}  // namespace attncert::reference
