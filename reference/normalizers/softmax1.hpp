// Softmax1 (off by one): softmax of the row with one more logit 0, whose own weight is left out.
#pragma once

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

class Softmax1Weights {
 public:
  explicit Softmax1Weights(const LogitRow& row) : sum_(row) {}
  const DescendingRow& row() const { return sum_.row(); }
  Interval weight(double logit, Precision precision);
  double screen_weight(double logit);

 private:
  ExponentialSum sum_;
};

extern const Normalizer softmax1_normalizer;

}  // namespace attncert::reference
