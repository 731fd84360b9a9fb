// J^T (c g) = c J^T g. For c a power of two the exact gradients differ by this factor alone. Entries that are not
// finite are skipped.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome linear_in_upstream(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  const int power = static_cast<int>(choices.between(1, 8)) - 4;
  if (!ordinary(row) || power == 0) return vacuous;
  LogitRow scaled = row;
  for (std::size_t i = 0; i < row.upstream.size(); ++i) {
    scaled.upstream[i] = std::ldexp(row.upstream[i], power);
    if (!fits(kernel, scaled.upstream[i])) return vacuous;
  }
  const auto before = outputs(subject, kernel, row), after = outputs(subject, kernel, scaled);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!std::isfinite(before[i].value) || !std::isfinite(after[i].value)) continue;
    const Output expected{std::ldexp(before[i].value, power), std::ldexp(before[i].slack, power)};
    if (!may_agree(expected, after[i], kernel))
      return violated(pair_text("upstream times a power of two", i, expected.value, after[i].value));
  }
  return kept;
}

}  // namespace attncert::laws
