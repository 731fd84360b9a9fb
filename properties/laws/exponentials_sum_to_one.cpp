// sum exp(p_i) = 1 for log-weights. A log-weight within its slack s of the exact one has its exponential within
// exp(p_i) (e^s - 1); long double's exp and sum add at most (L + 4) 2^-62 of sums that stay below 2.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome exponentials_sum_to_one(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const Row<T> row = draw_row<T>(choices);
    if (!ordinary(row)) return vacuous;
    const double budget = budget_ulp(kernel, row.temperature);
    long double sum = 0, allowed = static_cast<long double>(row.logits.size() + 4) * 0x1p-62L;
    for (const T entry : outputs(kernel, row)) {
      if (entry == -std::numeric_limits<T>::infinity()) continue;  // exp is 0
      const long double exponential = std::exp(static_cast<long double>(entry));
      sum += exponential;
      if (exponential > 0) allowed += exponential * std::expm1(slack(entry, budget));
    }
    if (std::abs(sum - 1) <= allowed) return kept;
    return violated("the exponentials sum to " + std::to_string(sum) + ", off by " + std::to_string((sum - 1) / allowed) +
                    " of what the budget allows");
  });
}

}  // namespace attncert::laws
