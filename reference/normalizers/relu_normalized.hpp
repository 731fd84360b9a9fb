// ReLU-normalized: max(z_i, 0) / sum_j max(z_j, 0), zeros where no logit is positive; T has no effect.
#pragma once

#include "reference/normalizers/normalizer.hpp"
#include "reference/normalizers/term_sum.hpp"

namespace attncert::reference {

class ReluSum final : public TermSum {
 public:
  using TermSum::TermSum;
  bool is_zero() const { return row().largest() <= 0; }
  // Off the positive logits 0 even where there are none.
  Interval weight(double logit, Precision precision) {
    return logit <= 0 ? Interval(0.0, precision) : TermSum::weight(logit, precision);
  }
  double screen_weight(double logit) { return logit <= 0 ? 0 : TermSum::screen_weight(logit); }

 protected:
  Interval compute(double logit, Precision precision) override;
  long double screen_term(double logit) override;
};

extern const Normalizer relu_normalized_normalizer;

}  // namespace attncert::reference
