#include "properties/row_reference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

// Distinct exponentials are kept while they are at most this many (some 200 bytes each); beyond, they are recomputed.
constexpr std::size_t kept_exponentials = 16384;

// exp(-cut) < 2^-(bits + 40): what lies so far below the sum's largest term is enclosed together by
// count * [0, that term * exp(-cut)], which widens a sum of 2^20 entries by less than 2^-(bits + 20) of itself.
double cut(Precision precision) { return 0.6931471805599454 * (precision.bits + 40); }

}  // namespace

RowKind kind(const LogitRow& row) {
  if (row.logits.empty()) return RowKind::empty;
  if (!(row.temperature > 0) || !std::isfinite(row.temperature)) return RowKind::bad_temperature;
  bool nan = false, infinite = false, finite = false;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (!row.visible(i)) continue;
    nan = nan || std::isnan(row.logits[i]);
    infinite = infinite || row.logits[i] == HUGE_VAL;
    finite = finite || std::isfinite(row.logits[i]);
  }
  if (nan) return RowKind::has_nan;
  if (infinite) return RowKind::has_infinity;
  return finite ? RowKind::ordinary : RowKind::nothing_visible;
}

RowReference::RowReference(LogitRow row) : row_(std::move(row)) {
  ATTNCERT_ASSERT(kind(row_) == RowKind::ordinary);
  std::vector<double> sorted;
  sorted.reserve(row_.logits.size());
  for (std::size_t i = 0; i < row_.logits.size(); ++i)
    if (present(i)) sorted.push_back(row_.logits[i]);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  largest_ = sorted.front();
  for (const double value : sorted) {
    if (distinct_.empty() || distinct_.back() != value) {
      distinct_.push_back(value);
      count_.push_back(0);
    }
    ++count_.back();
  }
}

bool RowReference::present(std::size_t i) const { return row_.visible(i) && row_.logits[i] != -HUGE_VAL; }

Interval RowReference::deficit(double logit, Precision precision) const {
  return (Interval(largest_, precision) - Interval(logit, precision)) / Interval(row_.temperature, precision);
}

const RowReference::Sum& RowReference::sum(Precision precision) {
  const auto [at, fresh] = sums_.try_emplace(precision.bits);
  Sum& sum = at->second;
  if (!fresh) return sum;
  const bool keep = distinct_.size() <= kept_exponentials;
  Interval rest(static_cast<double>(count_[0] - 1), precision);
  if (keep) sum.exponentials.emplace_back(1.0, precision);
  // R's largest term is 1 where the largest logit is tied, else that of the second one: log1p(R) needs R's own digits.
  const bool tied = count_[0] > 1 || distinct_.size() == 1;
  const double limit = cut(precision) + (tied ? 0 : (largest_ - distinct_[1]) / row_.temperature);
  std::size_t below = 0;
  for (std::size_t k = 1; k < distinct_.size(); ++k) {
    // The quotient is off by two roundings, 2^-51 of itself at most: less 2^-50 of it, it is below the exact deficit.
    if ((largest_ - distinct_[k]) / row_.temperature * (1 - 0x1p-50) > limit) {
      for (; k < distinct_.size(); ++k) below += count_[k];
      break;
    }
    Interval exponential = exp(-deficit(distinct_[k], precision));
    if (keep) sum.exponentials.push_back(exponential);
    if (count_[k] != 1) exponential *= Interval(static_cast<double>(count_[k]), precision);
    rest += exponential;
  }
  if (below != 0) {
    const Interval bound = exp(-Interval(limit, precision)) * Interval(static_cast<double>(below), precision);
    rest += Interval::between(Interval(0.0, precision), bound);
  }
  sum.rest = std::move(rest);
  return sum;
}

Interval RowReference::softmax(std::size_t i, Precision precision) {
  if (!present(i)) return Interval(0.0, precision);
  const Sum& s = sum(precision);
  const double logit = row_.logits[i];
  const auto found = std::lower_bound(distinct_.begin(), distinct_.end(), logit, std::greater<>());
  const auto index = static_cast<std::size_t>(found - distinct_.begin());
  const Interval whole = *s.rest + Interval(1.0, precision);
  if (index < s.exponentials.size()) return s.exponentials[index] / whole;
  return exp(-deficit(logit, precision)) / whole;
}

Interval RowReference::log_softmax(std::size_t i, Precision precision) {
  ATTNCERT_ASSERT(present(i));
  return -deficit(row_.logits[i], precision) - log1p(sum(precision).rest.value());
}

// Weights are positive only where z_i / T > tau >= max z / T - 1, that is max z - z_i < T; rounding is monotone, so the
// double difference of such an entry is at most T. The projection of those entries alone is the projection of the row.
const Rational& RowReference::threshold() {
  if (threshold_) return *threshold_;
  std::vector<double> candidates;
  for (std::size_t k = 0; k < distinct_.size() && largest_ - distinct_[k] <= row_.temperature; ++k)
    candidates.insert(candidates.end(), count_[k], distinct_[k]);
  threshold_ = reference::sparsemax(std::span<const double>(candidates), row_.temperature).threshold;
  return *threshold_;
}

Interval RowReference::sparsemax(std::size_t i, Precision precision) {
  if (!present(i) || largest_ - row_.logits[i] > row_.temperature) return Interval(0.0, precision);
  const Rational weight = exact(row_.logits[i]) / exact(row_.temperature) - threshold();
  return weight > 0 ? Interval(weight, precision) : Interval(0.0, precision);
}

const std::vector<std::size_t>& RowReference::largest_positions(std::size_t count) {
  std::size_t reach = 0, seen = 0;  // how many distinct logits hold `count` entries
  while (reach < distinct_.size() && seen < count) seen += count_[reach++];
  if (largest_positions_.size() == std::min(count, seen)) return largest_positions_;
  largest_positions_.clear();
  for (std::size_t i = 0; i < row_.logits.size(); ++i)
    if (present(i) && row_.logits[i] >= distinct_[reach - 1]) largest_positions_.push_back(i);
  std::stable_sort(largest_positions_.begin(), largest_positions_.end(),
                   [&](std::size_t a, std::size_t b) { return row_.logits[a] > row_.logits[b]; });
  largest_positions_.resize(std::min(count, seen));
  return largest_positions_;
}

double RowReference::screen_rest() {
  if (screen_rest_) return *screen_rest_;
  double rest = static_cast<double>(count_[0] - 1);
  for (std::size_t k = 1; k < distinct_.size(); ++k)
    rest += static_cast<double>(count_[k]) * std::exp((distinct_[k] - largest_) / row_.temperature);
  screen_rest_ = rest;
  return rest;
}

double RowReference::softmax_screen(std::size_t i) {
  return present(i) ? std::exp((row_.logits[i] - largest_) / row_.temperature) / (1 + screen_rest()) : 0;
}

double RowReference::log_softmax_screen(std::size_t i) {
  return present(i) ? (row_.logits[i] - largest_) / row_.temperature - std::log1p(screen_rest()) : -HUGE_VAL;
}

double RowReference::sparsemax_screen(std::size_t i) {
  if (!present(i)) return 0;
  // Relative to the largest logit, so that the difference of doubles keeps its digits.
  if (!screen_threshold_) {
    const Rational gap = exact(largest_) / exact(row_.temperature) - threshold();
    screen_threshold_ = approximate(gap);
  }
  return std::max(0.0, (row_.logits[i] - largest_) / row_.temperature + *screen_threshold_);
}

}  // namespace attncert
