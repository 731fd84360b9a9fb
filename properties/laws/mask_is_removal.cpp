// Masked entries are absent: the others are what they are in the row without them (the same exact values, so within the
// slack of each), whatever is stored at the masked positions; and what stands there is exactly the absent value.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome mask_is_removal(const Subject& subject, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    using limits = std::numeric_limits<T>;
    const T junk[] = {0, limits::quiet_NaN(), limits::infinity(), -limits::infinity(), limits::max(), T{50}};
    Row<T> row = draw_row<T>(choices);
    row.mask = draw_mask(choices, row.logits.size()).keep;
    Row<T> removed{{}, row.temperature, {}};
    const std::uint64_t key = choices.below(std::uint64_t{1} << 32);
    for (std::size_t i = 0; i < row.mask.size(); ++i) {
      if (row.mask[i] != 0) removed.logits.push_back(row.logits[i]);
      else row.logits[i] = junk[random_below(key, i, std::size(junk))];
    }
    if (row.mask.empty() || removed.logits.size() == row.logits.size() || !ordinary(row)) return vacuous;
    const auto masked = outputs(kernel, row), compact = outputs(kernel, removed);
    for (std::size_t i = 0, k = 0; i < masked.size(); ++i) {
      if (row.mask[i] == 0 && static_cast<double>(masked[i]) != subject.absent)
        return violated(pair_text("a masked entry is not absent", i, masked[i], static_cast<T>(subject.absent)));
      if (row.mask[i] != 0 && !may_agree(masked[i], compact[k++], budget_ulp(kernel, row.temperature)))
        return violated(pair_text("masking differs from removing", i, masked[i], compact[k - 1]));
    }
    return kept;
  });
}

}  // namespace attncert::laws
