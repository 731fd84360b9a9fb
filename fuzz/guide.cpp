#include "fuzz/guide.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attncert {
namespace {

enum Measure : unsigned { of_ulp, of_fraction, of_slack, of_flag };

}  // namespace

void Guide::touch(unsigned measure, std::size_t group, std::size_t bucket) {
  if (!counters_.empty()) counters_[(measure * groups + group % groups) * buckets + bucket] = 1;
}

// As good as the best so far or better.
void Guide::record(unsigned measure, std::size_t group, double bucket) {
  const double last = static_cast<double>(buckets - 1);  // NaN and infinity stand there, too
  const auto clipped = static_cast<std::uint8_t>(bucket < last ? std::max(bucket, 0.0) : last);
  std::uint8_t& best = best_[measure * groups + group % groups];
  if (clipped < best || clipped == 0) return;
  best = clipped;
  touch(measure, group, clipped);
}

void Guide::ulp(std::size_t group, double error) { record(of_ulp, group, error < 1 ? 0 : 1 + std::log2(error)); }

void Guide::fraction(std::size_t group, double of_budget) {
  record(of_fraction, group, of_budget <= 1 ? 16 * of_budget : 17 + std::log2(of_budget));
  if (!counters_.empty() && of_budget > nearest_.fraction) nearest_ = {group, of_budget};
}

Guide::Nearest Guide::take_nearest() { return std::exchange(nearest_, {}); }

// One bucket for every factor of 4 below 1: the tightest that a double tells from equality is 2^-53.
void Guide::slack(std::size_t group, double relative) {
  record(of_slack, group, relative > 0 ? std::max(0.0, 1 - std::log2(relative) / 2) : static_cast<double>(buckets - 1));
}

// Told each time, it would make the engine replace what it keeps by whatever is shorter, and such newcomers are what it
// picks most.
void Guide::flag(std::size_t group, unsigned which) {
  if (counters_.empty()) return;
  std::uint32_t& met = met_[group % groups];
  const std::uint32_t bit = std::uint32_t{1} << (which % buckets);
  if ((met & bit) == 0) touch(of_flag, group, which % buckets);
  met |= bit;
}

}  // namespace attncert
