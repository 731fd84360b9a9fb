// p_i <= 0 for log-weights. An error of B ulp is less than the value and keeps its sign. Among the subnormals, where
// the unit does not shrink with the value, a result may lie up to B units above 0.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome nonpositive(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  if (!ordinary(row)) return vacuous;
  const auto entries = outputs(subject, kernel, row);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!(entries[i].value <= 0) && !(std::abs(entries[i].value) <= entries[i].slack))
      return violated(pair_text("log-weight above 0", i, entries[i].value, 0));
  return kept;
}

}  // namespace attncert::laws
