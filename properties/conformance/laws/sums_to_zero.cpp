// sum_i (J^T g)_i = 0: adding a constant to all logits changes no weight, so J 1 = 0, and 1 is orthogonal to every J^T
// g. Every entry lies within its slack of the exact one; the check's own sum adds L 2^-62 of the largest entry.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome sums_to_zero(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  if (!ordinary(row)) return vacuous;
  long double sum = 0, allowed = 0, largest = 0;
  for (const Output& entry : outputs(subject, kernel, row)) {
    if (!std::isfinite(entry.value)) return vacuous;  // beyond the format
    sum += static_cast<long double>(entry.value);
    allowed += entry.slack;
    largest = std::max(largest, std::abs(static_cast<long double>(entry.value)));
  }
  allowed += largest * static_cast<long double>(row.logits.size() * row.logits.size()) * 0x1p-62L;
  if (std::abs(sum) <= allowed) return kept;
  return violated("the gradient sums to " + std::to_string(sum) + ", the budget allows " + std::to_string(allowed));
}

}  // namespace attncert::laws
