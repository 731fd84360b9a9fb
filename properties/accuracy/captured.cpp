#include "properties/accuracy/captured.hpp"

#include "properties/accuracy/budget.hpp"

namespace attncert {

CapturedCheck check_captured(std::span<const float> logits, std::span<const float> weights) {
  ATTNCERT_ASSERT(logits.size() == weights.size());
  CapturedCheck check;
  check.budget_ulp = budget_ulp("softmax", ATTNCERT_F32, 1.0);
  LogitRow row{{logits.begin(), logits.end()}, 1.0, {}};
  check.weights = logits.size();
  if (kind(row) != RowKind::ordinary) {  // captured rows are finite: anything else is wholly outside
    check.outside = logits.size();
    return check;
  }
  RowReference reference(std::move(row));
  const Judgement judgement = judge_row(*find_subject("softmax"), reference, weights, check.budget_ulp);
  check.worst_ulp = judgement.worst_ulp;
  check.outside = judgement.outside;
  check.undecided = judgement.undecided;
  return check;
}

}  // namespace attncert
