// sum p_i = 1. Each weight lies within its slack of the exact one, and the exact ones sum to 1; the check's own sum in
// long double adds at most L 2^-63 of sums that stay below 2.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome sums_to_one(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  if (!ordinary(row)) return vacuous;
  long double sum = 0, allowed = static_cast<long double>(row.logits.size()) * 0x1p-62L;
  for (const Output& weight : outputs(subject, kernel, row)) {
    sum += static_cast<long double>(weight.value);
    allowed += weight.slack;
  }
  if (std::abs(sum - 1) <= allowed) return kept;
  return violated("the weights sum to " + std::to_string(sum) + ", off by " + std::to_string((sum - 1) / allowed) +
                  " times what the budget allows");
}

}  // namespace attncert::laws
