// R = sum of exp(-t_j) over the present entries without one largest, t_j = (max z - z_j) / T, enclosed once per
// precision; softmax is exp(-t_i) / (1 + R), log-softmax -t_i - log1p(R). Also in plain double, for screening.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "reference/normalizers/descending_row.hpp"

namespace attncert::reference {

class ExponentialSum {
 public:
  explicit ExponentialSum(const LogitRow& row) : row_(row) {}

  const DescendingRow& row() const { return row_; }
  const Interval& rest(Precision precision) { return *sum(precision).rest; }  // R
  Interval exponential(double logit, Precision precision);                    // exp(-t) of a present logit
  double screen_rest();
  double screen_depth(double logit) const { return (row_.largest() - logit) / row_.row().temperature; }  // t

 private:
  struct Sum {
    std::vector<Interval> exponentials;  // of the distinct logits above the cut, largest first, while few
    std::optional<Interval> rest;
  };
  const Sum& sum(Precision precision);

  DescendingRow row_;
  std::map<int, Sum> sums_;  // by bits
  std::optional<double> screen_rest_;
};

}  // namespace attncert::reference
