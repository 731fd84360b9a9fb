// One row of the backward pass: its scores' gradients, and the errors that a class allows to them.
#pragma once

#include "reference/attention/gradient.hpp"

namespace attncert::reference {

// One a kept key.
struct GradientTerms {
  std::vector<std::size_t> keys;
  std::vector<Interval> weight, dS;
};
GradientTerms gradient_terms(const GradientRow& row, bool unfused, Precision precision);

// One a kept key; upper ends.
struct GradientErrors {
  GradientTerms terms;
  std::vector<Interval> most;    // p+: no computed weight is larger
  std::vector<Interval> weight;  // theta: of the weights
  std::vector<Interval> dS;      // eps': of dS as it is used
};
GradientErrors gradient_errors(const GradientRow& row, const GradientRounding& rounding, Precision precision);

}  // namespace attncert::reference
