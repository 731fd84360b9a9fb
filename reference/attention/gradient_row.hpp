// One row of the backward pass: its scores' gradients, and the errors that a class allows to them.
#pragma once

#include "reference/attention/gradient.hpp"

namespace attncert::reference {

// One a kept key.
template <class Number>  // Interval or DoubleInterval
struct GradientTerms {
  std::vector<std::size_t> keys;
  std::vector<Number> weight, dS;
  std::optional<Number> sink;  // what the row adds to the sink's gradient, -p_s D
};
template <class Number>
GradientTerms<Number> gradient_terms(const GradientRow& row, bool unfused, PrecisionOf<Number> precision);

// One a kept key; upper ends.
template <class Number>
struct GradientErrors {
  GradientTerms<Number> terms;
  std::vector<Number> most;    // p+: no computed weight is larger
  std::vector<Number> weight;  // theta: of the weights
  std::vector<Number> dS;      // eps': of dS as it is used
  std::optional<Number> sink;  // of what the row adds to the sink's gradient, and the most that it adds as computed
  std::optional<Number> sink_most;
};
template <class Number>
GradientErrors<Number> gradient_errors(const GradientRow& row, const GradientRounding& rounding,
                                       PrecisionOf<Number> precision);

}  // namespace attncert::reference
