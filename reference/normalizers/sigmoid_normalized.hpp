// Sigmoid-normalized: sigma(z_i) / sum_j sigma(z_j), and the sum it shares with its derivative.
#pragma once

#include "reference/normalizers/normalizer.hpp"
#include "reference/normalizers/term_sum.hpp"

namespace attncert::reference {

// Terms sigma(x) exp(-m), m = min(max x, 0): the largest is at least 1/2, however far left the whole row lies.
class SigmoidSum final : public TermSum {
 public:
  using TermSum::TermSum;

 protected:
  Interval compute(double logit, Precision precision) override;
  long double screen_term(double logit) override;
};

extern const Normalizer sigmoid_normalized_normalizer;

}  // namespace attncert::reference
