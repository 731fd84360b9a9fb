// p(z + c) = p(z), for shifts that change no logit by rounding: integer logits and an integer c below 2^20 are exact in
// f32 and f64. Both outcomes are of one exact value.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome shift_invariant(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    LogitRecipe recipe = draw_logits(choices, longest);
    recipe.regime = Regime::lattice;
    recipe.pokes.clear();
    Row<T> row{expand<T>(recipe), draw_temperature(choices), {}};
    const T shift = static_cast<T>(choices.between(-(1 << 20), 1 << 20));
    const auto before = outputs(kernel, row);
    for (T& logit : row.logits) logit += shift;
    const auto after = outputs(kernel, row);
    for (std::size_t i = 0; i < before.size(); ++i)
      if (!may_agree(before[i], after[i], budget_ulp(kernel, row.temperature)))
        return violated(pair_text(("shift by " + value_text(shift)).c_str(), i, before[i], after[i]));
    return kept;
  });
}

}  // namespace attncert::laws
