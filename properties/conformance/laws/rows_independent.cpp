// Batch invariance: a row alone has the bits that it has in a batch, whatever its neighbours are.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {
namespace {

template <class Item>
std::vector<Item> part(const std::vector<Item>& batch, std::size_t row, std::size_t length) {
  if (batch.empty()) return {};
  const auto from = batch.begin() + static_cast<std::ptrdiff_t>(row * length);
  return {from, from + static_cast<std::ptrdiff_t>(length)};
}

}  // namespace

LawOutcome rows_independent(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const std::size_t rows = 2 + choices.below(4), length = draw_length(choices, 100);
  LogitRow batch{{}, draw_temperature(choices), {}};
  const bool with_mask = choices.flip();
  for (std::size_t r = 0; r < rows; ++r) {
    LogitRecipe recipe = draw_logits(choices, length);
    recipe.length = length;
    const auto row = expand(recipe, kernel.dtype_in);
    batch.logits.insert(batch.logits.end(), row.begin(), row.end());
    const std::uint64_t key = choices.below(std::uint64_t{1} << 16);
    for (std::size_t i = 0; with_mask && i < length; ++i) batch.mask.push_back(random_below(key, i, 4) != 0 ? 1 : 0);
  }
  batch.parameters = draw_parameters(choices, subject);
  if (subject.derivative) batch.upstream = draw_upstream(choices, kernel.dtype_in, rows * length);
  const auto together = answered(kernel, batch, rows).output;
  for (std::size_t r = 0; r < rows; ++r) {
    const LogitRow alone{part(batch.logits, r, length), batch.temperature, part(batch.mask, r, length),
                         batch.parameters, part(batch.upstream, r, length)};
    const auto single = values(kernel, alone);
    for (std::size_t i = 0; i < length; ++i)
      if (!same_bits(single[i], together[r * length + i]))
        return violated(
            pair_text("row " + std::to_string(r) + " alone and in a batch", i, single[i], together[r * length + i]));
  }
  return kept;
}

}  // namespace attncert::laws
