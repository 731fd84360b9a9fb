// R = sum of exp(-t_j) over the present entries without one largest, t_j = (max z - z_j) / T, enclosed once per
// precision; softmax is exp(-t_i) / (1 + R), log-softmax -t_i - log1p(R). Also in plain double, for screening.
// SSMax multiplies every t_j by s log n.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "reference/normalizers/descending_row.hpp"

namespace attncert::reference {

class ExponentialSum {
 public:
  explicit ExponentialSum(const LogitRow& row) : row_(row) {}
  // t_j = s log(n) (max z - z_j) / T with s >= 0 and n present entries.
  ExponentialSum(const LogitRow& row, double log_length_scale);

  const DescendingRow& row() const { return row_; }
  Interval factor(Precision precision) const;                                 // s log n; 1 without a scale
  Interval depth(double logit, Precision precision);                          // t of a present logit
  const Interval& rest(Precision precision) { return *sum(precision).rest; }  // R
  Interval exponential(double logit, Precision precision);                    // exp(-t) of a present logit
  Interval weight(double logit, Precision precision);                         // exp(-t) / (1 + R)
  double screen_rest();
  long double screen_factor() const { return screen_factor_; }
  double screen_depth(double logit) const;  // t; +inf where it is beyond a double
  double screen_weight(double logit);

 private:
  struct Sum {
    std::vector<Interval> exponentials;  // of the distinct logits above the cut, largest first, while few
    std::optional<Interval> rest;
    std::optional<Interval> factor;
  };
  const Sum& sum(Precision precision);

  DescendingRow row_;
  std::optional<double> scale_;
  long double screen_factor_ = 1;
  std::map<int, Sum> sums_;  // by bits
  std::optional<double> screen_rest_;
};

}  // namespace attncert::reference
