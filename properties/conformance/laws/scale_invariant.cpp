// p(cz, cT) = p(z, T) for a power of two c that changes no bit of a logit. For a derivative, (J^T g)(cz, cT) = J^T g /
// c. Both outputs approximate one exact value.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome scale_invariant(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  const int power = static_cast<int>(choices.between(1, 16)) - 8;
  if (!ordinary(row) || power == 0) return vacuous;
  LogitRow scaled = row;
  scaled.temperature = std::ldexp(row.temperature, power);
  for (double& logit : scaled.logits) {
    logit = std::ldexp(logit, power);
    if (std::isfinite(logit) && !fits(kernel, logit)) return vacuous;
  }
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (std::isfinite(row.logits[i]) && std::ldexp(scaled.logits[i], -power) != row.logits[i]) return vacuous;
  const auto before = outputs(subject, kernel, row);
  auto after = outputs(subject, kernel, scaled);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (subject.derivative) {
      after[i].value = std::ldexp(after[i].value, power);
      after[i].slack = std::ldexp(after[i].slack, power);
      if (!std::isfinite(before[i].value) || !std::isfinite(after[i].value)) continue;
    }
    if (!may_agree(before[i], after[i], kernel))
      return violated(pair_text("scaled by a power of two", i, before[i].value, after[i].value));
  }
  return kept;
}

}  // namespace attncert::laws
