// z_i >= z_j implies p_i >= p_j. The exact values are ordered; the computed ones may cross by the sum of their slacks.
#include <numeric>

#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome monotone(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const Row<T> row = draw_row<T>(choices);
    if (!ordinary(row) || row.logits.size() < 2) return vacuous;
    const double budget = budget_ulp(kernel, row.temperature);
    std::vector<std::size_t> order(row.logits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return row.logits[a] != row.logits[b] ? row.logits[a] < row.logits[b] : a < b;
    });
    const auto weights = outputs(kernel, row);
    for (std::size_t k = 1; k < order.size(); ++k) {
      const T low = weights[order[k - 1]], high = weights[order[k]];
      if (!(low <= high) && !may_agree(low, high, budget))
        return violated(pair_text("a larger logit has a smaller weight", order[k], low, high));
    }
    return kept;
  });
}

}  // namespace attncert::laws
