// Strides, alignment and the first content of scratch change no bit, and the kernel writes and reads nothing outside
// rows and scratch. (A read would show: the padding of the input is NaN, and the padding of the mask says keep.)
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome layout_independent(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const std::size_t rows = 1 + choices.below(4), length = draw_length(choices, 100);
  LogitRecipe recipe = draw_logits(choices, 1);
  recipe.length = rows * length;
  LogitRow batch{expand(recipe, kernel.dtype_in), draw_temperature(choices), {}};
  batch.mask = draw_mask(choices, rows * length).keep;
  Layout layout{choices.below(20), choices.below(20), choices.below(20), choices.below(16)};
  batch.parameters = draw_parameters(choices, subject);
  if (subject.derivative) batch.upstream = draw_upstream(choices, kernel.dtype_in, rows * length);
  layout.upstream_padding = choices.below(20);
  layout.scratch = Found::number;
  const auto dense = answered(kernel, batch, rows), spread = guarded_call(kernel, batch, rows, layout);
  if (dense.wrote_outside || spread.wrote_outside) return violated("wrote outside its rows or scratch");
  if (dense.status != spread.status) return violated("the status depends on the layout");
  for (std::size_t i = 0; i < batch.logits.size(); ++i)
    if (!same_bits(dense.output[i], spread.output[i]))
      return violated(pair_text("dense and strided", i, dense.output[i], spread.output[i]));
  return kept;
}

}  // namespace attncert::laws
