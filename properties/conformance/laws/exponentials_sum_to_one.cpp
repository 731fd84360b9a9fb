// sum exp(p_i) = 1 for log-weights. A log-weight within its slack s of the exact one has its exponential within
// exp(p_i) (e^s - 1); long double's exp and sum add at most (L + 4) 2^-62 of sums that stay below 2.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome exponentials_sum_to_one(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  if (!ordinary(row)) return vacuous;
  long double sum = 0, allowed = static_cast<long double>(row.logits.size() + 4) * 0x1p-62L;
  for (const Output& entry : outputs(subject, kernel, row)) {
    if (entry.value == -HUGE_VAL) continue;  // exp is 0
    const long double exponential = std::exp(static_cast<long double>(entry.value));
    sum += exponential;
    if (exponential > 0) allowed += exponential * std::expm1(entry.slack);
  }
  if (std::abs(sum - 1) <= allowed) return kept;
  return violated("the exponentials sum to " + std::to_string(sum) + ", off by " + std::to_string((sum - 1) / allowed) +
                  " times what the budget allows");
}

}  // namespace attncert::laws
