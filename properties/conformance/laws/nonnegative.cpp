// 0 <= p_i <= 1. Rounding never makes an exponential or a clipped difference negative. A weight may exceed 1 by its
// slack.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome nonnegative(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  if (!ordinary(row)) return vacuous;
  const auto weights = outputs(subject, kernel, row);
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i].value >= 0 && static_cast<long double>(weights[i].value) <= 1 + weights[i].slack))
      return violated(pair_text("weight outside [0, 1]", i, weights[i].value, 1));
  return kept;
}

}  // namespace attncert::laws
