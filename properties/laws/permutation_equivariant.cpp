// p(z o pi) = p(z) o pi: sums change their order, so both outcomes agree within the slack of one exact value each.
#include <numeric>

#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome permutation_equivariant(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const Row<T> row = draw_row<T>(choices);
    const std::uint64_t key = choices.below(std::uint64_t{1} << 32);
    if (!ordinary(row) || row.logits.size() < 2) return vacuous;
    std::vector<std::size_t> order(row.logits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random_below(key, i, i + 1)]);
    Row<T> permuted = row;
    for (std::size_t i = 0; i < order.size(); ++i) permuted.logits[i] = row.logits[order[i]];
    const auto before = outputs(kernel, row), after = outputs(kernel, permuted);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (!may_agree(before[order[i]], after[i], budget_ulp(kernel, row.temperature)))
        return violated(pair_text("permuted", order[i], before[order[i]], after[i]));
    return kept;
  });
}

}  // namespace attncert::laws
