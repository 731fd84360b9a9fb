#include "properties/conformance/accuracy/device_tier.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/conformance/accuracy/tier_sources.hpp"
#include "properties/conformance/double_double/device/device_judge.hpp"
#include "reference/normalizers/top_k_softmax.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

using double_double::DeviceAllowance;
using double_double::Factor;

// Bytes of one batch on a device, beyond the last row: in no buffer more than it gives at once, and a quarter of a
// gibibyte in all, which a campaign's host has to spare.
constexpr std::size_t most_bytes = std::size_t{1} << 28;
constexpr int widest_on_device = 24;  // digits

bool has_zero(const Normalizer& normalizer) { return normalizer.name == "softmax1"; }

// A largest x of softmax1 where the processor's tier has no truth (truths.cpp): so that the same rows are Interval's,
// whoever is asked first.
bool is_intervals(const Normalizer& normalizer, const LogitRow& row, const Factor& factor) {
  if (!has_zero(normalizer)) return false;
  double largest = -HUGE_VAL;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i)) largest = std::max(largest, row.logits[i]);
  return double_double::softmax1_is_open(largest * factor.value.high);
}

// What budgets of kernels come to that have no class; nothing of others.
std::optional<DeviceAllowance> allowance_of(const Budget& budget, double temperature) {
  const double tolerance = temperature == 1 ? budget.tolerance_unit : budget.tolerance_other;
  const double bound = budget.bound(temperature);
  if (budget.arithmetic != nullptr || !std::isfinite(bound)) return std::nullopt;
  if (budget.narrowed && tolerance == 0) return DeviceAllowance{budget.last, bound + budget.inner_last};
  if (budget.narrowed || budget.last != 0) return std::nullopt;  // no kernel of these normalizers has such a one
  return DeviceAllowance{tolerance > 0 ? std::min(tolerance, bound) : bound, 0};
}

TierOutcome outcome_of(double_double::DeviceVerdict verdict, std::size_t length) {
  if (verdict.open != 0) return {};
  TierOutcome outcome;
  outcome.elements = length;
  outcome.worst_ulp = verdict.worst_ulp;
  outcome.worst_fraction = verdict.worst_fraction;
  outcome.worst_position = verdict.worst_position;
  outcome.budget_ulp = verdict.worst_allowed;
  outcome.truth_error = verdict.truth_error;
  outcome.sample = std::move(verdict.sample);
  return outcome;
}

}  // namespace

struct DeviceTier::Batch {
  struct Waiting {
    TierOutcome* outcome;
    std::size_t length;
  };
  double_double::DeviceJudge judge;
  std::vector<Waiting> waiting;
};

DeviceTier::DeviceTier(const device::Device& device) : device_(device), batch_(new Batch) {}
DeviceTier::~DeviceTier() = default;

void DeviceTier::add(const Normalizer& normalizer, const LogitRow& row, attncert_dtype dtype_out,
                     std::span<const Asked> answers) {
  const Format& type = format(dtype_out);
  if (std::ranges::count(judged_on_device, normalizer.name) == 0 || type.digits > widest_on_device || !done_) return;
  std::optional<LogitRow> cell;
  if (normalizer.parameter == ReadsParameter::k) cell = reference::top_k_cell(row);
  const LogitRow& taken = cell ? *cell : row;
  const Factor factor = tier::factor(normalizer, taken);
  if (!double_double::in_range(factor) || is_intervals(normalizer, taken, factor)) return;
  bool added = false;
  for (const Asked& answer : answers) {
    const std::optional<DeviceAllowance> allowance = allowance_of(*answer.budget, row.temperature);
    if (!allowance) continue;
    if (!added && !batch_->judge.add_row(taken.logits, taken.mask, factor, has_zero(normalizer))) return;
    added = true;
    batch_->judge.add_answer(answer.computed, {type.digits, type.min_exponent, type.max_exponent}, *allowance,
                             normalizer.exact_support);
    batch_->waiting.push_back({answer.outcome, answer.computed.size()});
  }
  if (batch_->judge.bytes() >= std::min(most_bytes, device_.most_allocated())) judge_batch();
}

void DeviceTier::judge_batch() {
  if (!batch_->waiting.empty() && done_) {
    Result<std::vector<double_double::DeviceVerdict>> verdicts = batch_->judge.verdicts(device_);
    if (!verdicts) done_ = verdicts.error();
    for (std::size_t n = 0; verdicts && n < verdicts->size(); ++n)
      *batch_->waiting[n].outcome = outcome_of(std::move((*verdicts)[n]), batch_->waiting[n].length);
  }
  batch_ = std::make_unique<Batch>();
}

Result<Done> DeviceTier::finish() {
  judge_batch();
  return done_;
}

bool agree(const TierOutcome& of_device, const TierOutcome& of_processor) {
  if (!of_processor.open.empty()) return true;  // whose errors are not among those that it has the largest of
  if (of_processor.elements == 0) return false;
  constexpr double rounded = 0x1p-40;
  const double ulp = of_device.truth_error + of_processor.truth_error + rounded * of_processor.worst_ulp;
  return std::abs(of_device.worst_ulp - of_processor.worst_ulp) <= ulp &&
         std::abs(of_device.worst_fraction - of_processor.worst_fraction) <=
             ulp / of_processor.budget_ulp * (1 + 0x1p-40);
}

}  // namespace attncert
