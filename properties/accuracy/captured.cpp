#include "properties/accuracy/captured.hpp"

#include "properties/accuracy/budget.hpp"
#include "properties/accuracy/judge.hpp"
#include "properties/subjects.hpp"

namespace attncert {

CapturedCheck check_captured(std::span<const float> logits, std::span<const float> weights) {
  ATTNCERT_ASSERT(logits.size() == weights.size());
  CapturedCheck check;
  const attncert_kernel& kernel = *find_kernel("softmax", ATTNCERT_F32);
  const Budget budget = budget_of(kernel);
  const LogitRow row{{logits.begin(), logits.end()}, 1.0, {}};
  check.weights = logits.size();
  check.budget_ulp = budget.bar_unit > 0 ? budget.bar_unit : budget.unit;
  if (kind(row) != RowKind::ordinary) {  // captured rows are finite: anything else is wholly outside
    check.outside = logits.size();
    return check;
  }
  const Subject& softmax = *find_subject("softmax");
  const std::vector<double> computed(weights.begin(), weights.end());
  const Judgement judgement = judge_row(softmax, row, *softmax.truth(row), format(ATTNCERT_F32), computed, budget);
  check.worst_ulp = judgement.worst_ulp;
  check.outside = judgement.outside;
  check.undecided = judgement.undecided;
  return check;
}

}  // namespace attncert
