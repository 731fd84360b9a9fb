// The truth of normalizers whose entries share something, a sum or a threshold, that gives every logit its weight.
#pragma once

#include <memory>

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

// Shared has weight(logit, precision), screen_weight(logit) and row(), the DescendingRow that it is of. An entry which
// that row leaves out has the weight 0.
template <class Shared>
class WeightTruth final : public RowTruth {
 public:
  template <class... Arguments>
  explicit WeightTruth(const Arguments&... arguments) : shared_(arguments...) {}
  Interval value(std::size_t i, Precision precision) override {
    return row().present(i) ? shared_.weight(row().logits[i], precision) : Interval(0.0, precision);
  }
  double screen(std::size_t i) override { return row().present(i) ? shared_.screen_weight(row().logits[i]) : 0; }

 private:
  const LogitRow& row() const { return shared_.row().row(); }
  Shared shared_;
};

template <class Shared>
std::unique_ptr<RowTruth> weight_truth(const LogitRow& row) {
  return std::make_unique<WeightTruth<Shared>>(row);
}

}  // namespace attncert::reference
