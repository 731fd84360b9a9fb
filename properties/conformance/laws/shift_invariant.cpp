// p(z + c) = p(z) for shifts without rounding: logits and c are integers whose sums the type holds exactly. Both
// outputs approximate one exact value.
#include "properties/conformance/laws/law_rows.hpp"
#include "src/core/hex_text.hpp"

namespace attncert::laws {

LawOutcome shift_invariant(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  LogitRecipe recipe = draw_logits(choices, longest);
  if (choices.length() != 0) recipe.length = choices.length();
  recipe.regime = Regime::lattice;
  recipe.special_values.clear();
  LogitRow row{expand(recipe, kernel.dtype_in), draw_temperature(choices), {}};
  const std::int64_t reach = format(kernel.dtype_in).digits >= 24 ? 1 << 20 : 1 << (format(kernel.dtype_in).digits - 2);
  const auto shift = static_cast<double>(choices.between(-reach, reach));
  draw_rest(choices, subject, kernel, row);
  LogitRow shifted = row;
  for (double& logit : shifted.logits) logit += shift;
  for (const double logit : shifted.logits)
    if (!fits(kernel, logit)) return vacuous;
  const auto before = outputs(subject, kernel, row), after = outputs(subject, kernel, shifted);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (!may_agree(before[i], after[i], kernel))
      return violated(pair_text("shift by " + hex_text(shift), i, before[i].value, after[i].value));
  return kept;
}

}  // namespace attncert::laws
