// p(cz, cT) = p(z, T), for c a power of two that no logit loses a bit to. Both outcomes are of one exact value.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome scale_invariant(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    Row<T> row = draw_row<T>(choices);
    const int power = static_cast<int>(choices.between(1, 16)) - 8;
    if (!ordinary(row) || power == 0) return vacuous;
    const double budget = std::max(budget_ulp(kernel, row.temperature), budget_ulp(kernel, std::ldexp(row.temperature, power)));
    const auto before = outputs(kernel, row);
    for (T& logit : row.logits) {
      const T scaled = std::ldexp(logit, power);
      const bool lost = std::isfinite(logit) && (!std::isfinite(scaled) || std::ldexp(scaled, -power) != logit);
      if (lost) return vacuous;
      logit = scaled;
    }
    row.temperature = std::ldexp(row.temperature, power);
    const auto after = outputs(kernel, row);
    for (std::size_t i = 0; i < before.size(); ++i)
      if (!may_agree(before[i], after[i], budget)) return violated(pair_text("scaled by a power of two", i, before[i], after[i]));
    return kept;
  });
}

}  // namespace attncert::laws
