// 0 <= p_i <= 1. No rounding makes an exponential or a clipped difference negative; above, 1 may be passed by the slack.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome nonnegative(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const Row<T> row = draw_row<T>(choices);
    if (!ordinary(row)) return vacuous;
    const long double above = 1 + slack(T{1}, budget_ulp(kernel, row.temperature));
    const auto weights = outputs(kernel, row);
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (!(weights[i] >= 0 && static_cast<long double>(weights[i]) <= above))
        return violated(pair_text("weight outside [0, 1]", i, weights[i], T{1}));
    return kept;
  });
}

}  // namespace attncert::laws
