#include "properties/accuracy/captured.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "properties/accuracy/budget.hpp"
#include "properties/accuracy/bulk_tier.hpp"
#include "properties/subjects.hpp"
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

CapturedCheck check_captured(std::span<const float> logits, std::span<const float> weights, const CapturedWeights& of,
                             bool sampled) {
  ATTNCERT_ASSERT(logits.size() == weights.size());
  const attncert_kernel* kernel = find_kernel(of.normalizer, ATTNCERT_F32);
  const Subject* subject = find_subject(of.normalizer);
  ATTNCERT_ASSERT(kernel != nullptr && subject != nullptr && !subject->derivative);
  const Budget budget = budget_of(*kernel);
  const LogitRow row{{logits.begin(), logits.end()}, of.temperature, {}};
  CapturedCheck check;
  check.weights = logits.size();
  const double bar = of.temperature == 1 ? budget.bar_unit : budget.bar_other;
  check.budget_ulp =
      bar > 0 ? bar : budget.bound(of.temperature, 0, static_cast<double>(std::bit_width(logits.size())));
  if (kind(row) != RowKind::ordinary) {  // captured rows are finite: anything else is wholly outside
    check.outside = logits.size();
    return check;
  }
  const std::vector<double> computed(weights.begin(), weights.end());
  BulkOutcome bulk;
  if (BulkTier::serves(*subject)) bulk = BulkTier(*subject, row, ATTNCERT_F32).judge(computed, budget, false);
  const bool decided = bulk.elements != 0 || !bulk.open.empty();
  const std::vector<std::size_t> asked = decided && !sampled ? bulk.open : everything(logits.size());
  check.worst_ulp = bulk.worst_ulp;
  if (asked.empty()) return check;
  const auto truth = subject->truth(row);
  Judged judged{computed, &budget};
  judge_row(*subject, row, *truth, format(ATTNCERT_F32), asked, {&judged, 1});
  const Judgement& judgement = judged.judgement;
  // What the tier decided it decided to be within the budget.
  ATTNCERT_ASSERT(!decided || judgement.outside <= bulk.open.size());
  check.sampled = asked.size();
  check.outside = judgement.outside;
  check.undecided = judgement.undecided;
  check.worst_ulp = std::max(check.worst_ulp, judgement.worst_ulp);
  return check;
}

bool in_sample(const CapturedRow& row) {
  if (row.layer == 0 && row.head == 0) return true;
  std::uint64_t place = 0;  // splitmix64's last step mixes each number in (Steele, Lea, Flood 2014)
  for (const std::size_t part : {row.window, row.layer, row.head, row.query}) {
    place += part + 0x9e3779b97f4a7c15;
    place = (place ^ (place >> 30)) * 0xbf58476d1ce4e5b9;
    place = (place ^ (place >> 27)) * 0x94d049bb133111eb;
    place ^= place >> 31;
  }
  return place % one_in == 0;
}

}  // namespace attncert
