#include "study/claims/captured.hpp"

#include <algorithm>
#include <numeric>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/double_double_tier.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

constexpr std::size_t one_in = 64;

std::vector<std::size_t> everything(std::size_t length) {
  std::vector<std::size_t> all(length);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

CheckLine check_captured(std::span<const float> logits, std::span<const float> weights, const CapturedWeights& of,
                         bool sampled) {
  ATTNCERT_ASSERT(logits.size() == weights.size());
  const attncert_kernel* kernel = find_kernel(of.normalizer, ATTNCERT_F32);
  const Subject* subject = find_subject(of.normalizer);
  ATTNCERT_ASSERT(kernel != nullptr && subject != nullptr && !subject->derivative);
  const Budget budget = budget_of(*kernel);
  const LogitRow row{{logits.begin(), logits.end()}, of.temperature, {}, of.parameters};
  CheckLine check;
  check.rows = 1;
  check.weights = logits.size();
  const double tolerance = of.temperature == 1 ? budget.tolerance_unit : budget.tolerance_other;
  check.budget_ulp = tolerance > 0 ? tolerance : budget.bound(of.temperature);
  if (kind(row) != RowKind::ordinary) {  // captured rows are finite: anything else is wholly outside
    check.outside = logits.size();
    return check;
  }
  const std::vector<double> computed(weights.begin(), weights.end());
  TierOutcome outcome;
  if (DoubleDoubleTier::serves(*subject))
    outcome = DoubleDoubleTier(*subject, row, ATTNCERT_F32).judge(computed, budget, false);
  const bool decided = outcome.elements != 0 || !outcome.open.empty();
  const std::vector<std::size_t> asked = decided && !sampled ? outcome.open : everything(logits.size());
  check.worst_ulp = outcome.worst_ulp;
  if (asked.empty()) return check;
  const auto truth = subject->truth(row);
  Judged judged{computed, &budget};
  judge_row(*subject, row, *truth, format(ATTNCERT_F32), asked, {&judged, 1});
  const Judgement& judgement = judged.judgement;
  // What the tier decided it decided to be within the budget.
  ATTNCERT_ASSERT(!decided || judgement.outside <= outcome.open.size());
  check.sampled = asked.size();
  check.outside = judgement.outside;
  check.undecided = judgement.undecided;
  check.worst_ulp = std::max(check.worst_ulp, judgement.worst_ulp);
  return check;
}

bool in_sample(const CapturedRow& row) {
  return (row.layer == 0 && row.head == 0) || hash(RowKey{row.window, row.layer, row.head, row.query}) % one_in == 0;
}

}  // namespace attncert
