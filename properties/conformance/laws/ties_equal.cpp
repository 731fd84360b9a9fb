// z_i = z_j implies p_i = p_j, bit for bit: a kernel does the same arithmetic at every position of a row. For a
// derivative the upstream entries must be equal too.

#include <map>

#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome ties_equal(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  if (!ordinary(row)) return vacuous;
  const auto weights = values(kernel, row);
  std::map<std::pair<double, double>, std::size_t> first;  // -0 and 0 are one logit
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double upstream = subject.derivative && row.present(i) ? row.upstream[i] : 0;
    const auto [at, fresh] = first.try_emplace({row.logits[i], upstream}, i);
    if (!fresh && !same_bits(weights[i], weights[at->second]))
      return violated(pair_text("tied logits differ", i, weights[at->second], weights[i]));
  }
  return first.size() == weights.size() ? vacuous : kept;
}

}  // namespace attncert::laws
