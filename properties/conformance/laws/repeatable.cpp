// The same call gives the same bits the second time.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome repeatable(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  LogitRow row = draw_row(choices, subject, kernel);
  row.mask = draw_mask(choices, row.logits.size()).keep;
  const auto once = values(kernel, row), again = values(kernel, row);
  for (std::size_t i = 0; i < once.size(); ++i)
    if (!same_bits(once[i], again[i])) return violated(pair_text("once and again", i, once[i], again[i]));
  return kept;
}

}  // namespace attncert::laws
