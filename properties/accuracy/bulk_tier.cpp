#include "properties/accuracy/bulk_tier.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "properties/bulk/exponentials.hpp"
#include "properties/bulk/judge.hpp"
#include "properties/bulk/truths.hpp"

namespace attncert {
namespace {

std::size_t present_count(const LogitRow& row) {
  std::size_t present = 0;
  for (std::size_t i = 0; i < row.logits.size(); ++i) present += row.present(i);
  return present;
}

bulk::Factor factor(const Normalizer& normalizer, const LogitRow& row) {
  if (normalizer.parameter == ReadsParameter::scale)
    return bulk::scalable(row.parameters.scale, present_count(row), row.temperature);
  return bulk::inverse(row.temperature);
}

constexpr std::string_view served[] = {"softmax", "log-softmax", "ssmax", "softmax1"};

}  // namespace

struct BulkTier::State {
  attncert_dtype dtype;
  double temperature;
  bulk::Exponentials exponentials;
  bulk::LogSoftmax log_softmax;
  std::optional<bulk::Truth> truth;
};

bool BulkTier::serves(const Normalizer& normalizer, attncert_dtype dtype_out) {
  return (dtype_out == ATTNCERT_F32 || dtype_out == ATTNCERT_F64) && std::ranges::count(served, normalizer.name) != 0;
}

BulkTier::BulkTier(const Normalizer& normalizer, const LogitRow& row, attncert_dtype dtype_out)
    : state_(std::make_unique<State>()) {
  ATTNCERT_ASSERT(serves(normalizer, dtype_out));
  State& s = *state_;
  s.dtype = dtype_out;
  s.temperature = row.temperature;
  const bulk::Factor by = factor(normalizer, row);
  if (!bulk::in_range(by) || !s.exponentials.compute<double>(row.logits, row.mask, by)) return;
  if (normalizer.name == "softmax1") s.truth = bulk::softmax1_truth(s.exponentials);
  else if (normalizer.name == "log-softmax") s.truth = s.log_softmax.truth(s.exponentials);
  else s.truth = bulk::softmax_truth(s.exponentials);
}

BulkTier::~BulkTier() = default;

bool BulkTier::offered() const { return state_->truth.has_value(); }

BulkOutcome BulkTier::judge(std::span<const double> computed, const Budget& budget, bool with_position) const {
  if (!offered() || budget.per_depth != 0 || budget.per_doubling != 0 || budget.last != 0 || budget.narrowed) return {};
  const bool unit = state_->temperature == 1;
  const double bar = unit ? budget.bar_unit : budget.bar_other, bound = budget.bound(state_->temperature, 0, 0);
  bulk::Judgement judgement;
  bulk::judge<double>(judgement, *state_->truth, computed, state_->dtype == ATTNCERT_F32 ? bulk::f32 : bulk::f64,
                      {bar > 0 ? std::min(bar, bound) : bound, {}},
                      with_position ? 0 : std::numeric_limits<double>::infinity());
  if (judgement.outside != 0) return {};
  return {judgement.elements - judgement.undecided.size(), std::move(judgement.undecided), judgement.worst_ulp,
          judgement.worst_position};
}

}  // namespace attncert
