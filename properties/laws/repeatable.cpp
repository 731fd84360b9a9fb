// The same call gives the same bits again.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome repeatable(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    Row<T> row = draw_row<T>(choices);
    row.mask = draw_mask(choices, row.logits.size()).keep;
    const auto once = outputs(kernel, row), again = outputs(kernel, row);
    for (std::size_t i = 0; i < once.size(); ++i)
      if (once[i] != again[i] && !(std::isnan(once[i]) && std::isnan(again[i])))
        return violated(pair_text("once and again", i, once[i], again[i]));
    return kept;
  });
}

}  // namespace attncert::laws
