// Strides and alignment change nothing, bit for bit, and nothing outside the rows is written or read (the padding of the
// input is NaN, that of the mask says keep).
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome layout_independent(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const std::size_t rows = 1 + choices.below(4), length = draw_length(choices, 100);
    LogitRecipe recipe = draw_logits(choices, 1);
    recipe.length = rows * length;
    const auto input = expand<T>(recipe);
    const double temperature = draw_temperature(choices);
    const auto mask = draw_mask(choices, rows * length).keep;
    const Layout layout{choices.below(20), choices.below(20), choices.below(20), choices.below(16)};
    const auto dense = guarded_call<T>(kernel, input, rows, temperature, mask);
    const auto spread = guarded_call<T>(kernel, input, rows, temperature, mask, layout);
    if (dense.wrote_outside || spread.wrote_outside) return violated("wrote outside its rows");
    if (dense.status != spread.status) return violated("the status depends on the layout");
    for (std::size_t i = 0; i < input.size(); ++i)
      if (dense.output[i] != spread.output[i] && !(std::isnan(dense.output[i]) && std::isnan(spread.output[i])))
        return violated(pair_text("dense and strided", i, dense.output[i], spread.output[i]));
    return kept;
  });
}

}  // namespace attncert::laws
