// z_i >= z_j implies p_i >= p_j. The exact values are ordered; the computed ones may cross by the sum of their slacks.

#include <numeric>

#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome monotone(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  if (!ordinary(row) || row.logits.size() < 2) return vacuous;
  std::vector<std::size_t> order(row.logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return row.logits[a] != row.logits[b] ? row.logits[a] < row.logits[b] : a < b;
  });
  const auto weights = outputs(subject, kernel, row);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const Output &low = weights[order[k - 1]], &high = weights[order[k]];
    const bool tied = row.logits[order[k - 1]] == row.logits[order[k]];  // ties-equal is a law by itself
    if (!tied && !(low.value <= high.value) && !may_agree(low, high, kernel))
      return violated(pair_text("a larger logit has a smaller weight", order[k], low.value, high.value));
  }
  return kept;
}

}  // namespace attncert::laws
