// Masking an entry is the same as removing it. The other entries have the exact values of the shorter row, so outputs
// agree within their slack, whatever is stored at the masked positions. Outputs at masked positions are the absent
// value.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome mask_is_removal(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const double largest = rounded(kernel.dtype_in, 3e4);
  const double junk[] = {0, std::nan(""), HUGE_VAL, -HUGE_VAL, largest, 50};
  LogitRow row = draw_row(choices, subject, kernel);
  row.mask = draw_mask(choices, row.logits.size()).keep;
  LogitRow removed{{}, row.temperature, {}, row.parameters, {}};
  const std::uint64_t key = choices.below(std::uint64_t{1} << 32);
  for (std::size_t i = 0; i < row.mask.size(); ++i) {
    if (row.mask[i] != 0) {
      removed.logits.push_back(row.logits[i]);
      if (subject.derivative) removed.upstream.push_back(row.upstream[i]);
    } else {
      row.logits[i] = junk[random_below(key, i, std::size(junk))];
      if (subject.derivative) row.upstream[i] = junk[random_below(key + 1, i, std::size(junk))];
    }
  }
  if (row.mask.empty() || removed.logits.size() == row.logits.size() || !ordinary(row)) return vacuous;
  const auto masked = outputs(subject, kernel, row), compact = outputs(subject, kernel, removed);
  for (std::size_t i = 0, k = 0; i < masked.size(); ++i) {
    if (row.mask[i] == 0 && masked[i].value != subject.absent)
      return violated(pair_text("a masked entry is not absent", i, masked[i].value, subject.absent));
    if (row.mask[i] != 0 && !may_agree(masked[i], compact[k++], kernel))
      return violated(pair_text("masking differs from removing", i, masked[i].value, compact[k - 1].value));
  }
  return kept;
}

}  // namespace attncert::laws
