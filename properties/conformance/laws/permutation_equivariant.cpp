// p(z o pi) = p(z) o pi. The order of sums changes, so corresponding outputs agree within their slack.

#include <numeric>

#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome permutation_equivariant(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  const std::uint64_t key = choices.below(std::uint64_t{1} << 32);
  if (!ordinary(row) || row.logits.size() < 2) return vacuous;
  std::vector<std::size_t> order(row.logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random_below(key, i, i + 1)]);
  LogitRow permuted = row;
  for (std::size_t i = 0; i < order.size(); ++i) {
    permuted.logits[i] = row.logits[order[i]];
    if (subject.derivative) permuted.upstream[i] = row.upstream[order[i]];
  }
  const auto before = outputs(subject, kernel, row), after = outputs(subject, kernel, permuted);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (!may_agree(before[order[i]], after[i], kernel))
      return violated(pair_text("permuted", order[i], before[order[i]].value, after[i].value));
  return kept;
}

}  // namespace attncert::laws
