// p_i <= 0 for log-weights. An error of B ulp is less than the value itself, so it keeps the sign, but among the
// subnormals, where the unit does not shrink: there B units of it may lie above 0.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome nonpositive(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const Row<T> row = draw_row<T>(choices);
    if (!ordinary(row)) return vacuous;
    const long double above = slack(T{0}, budget_ulp(kernel, row.temperature));
    const auto entries = outputs(kernel, row);
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (!(static_cast<long double>(entries[i]) <= above)) return violated(pair_text("log-weight above 0", i, entries[i], T{0}));
    return kept;
  });
}

}  // namespace attncert::laws
