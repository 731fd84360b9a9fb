// sum p_i = 1. Each weight lies within its slack of the exact one, and the exact ones sum to 1; the check's own sum in
// long double adds at most L 2^-63 of sums that stay below 2.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome sums_to_one(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const Row<T> row = draw_row<T>(choices);
    if (!ordinary(row)) return vacuous;
    const double budget = budget_ulp(kernel, row.temperature);
    long double sum = 0, allowed = static_cast<long double>(row.logits.size()) * 0x1p-62L;
    for (const T weight : outputs(kernel, row)) {
      sum += static_cast<long double>(weight);
      allowed += slack(weight, budget);
    }
    if (std::abs(sum - 1) <= allowed) return kept;
    return violated("the weights sum to " + std::to_string(sum) + ", off by " + std::to_string((sum - 1) / allowed) +
                    " of what the budget allows");
  });
}

}  // namespace attncert::laws
