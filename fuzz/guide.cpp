#include "fuzz/guide.hpp"

#include <algorithm>
#include <cmath>

namespace attncert {
namespace {

enum Measure : unsigned { of_ulp, of_fraction, of_slack, of_flag };

}  // namespace

void Guide::touch(unsigned measure, std::size_t group, double bucket) {
  if (counters_.empty()) return;
  const double last = static_cast<double>(buckets - 1);  // NaN and infinity stand there, too
  const auto clipped = static_cast<std::size_t>(bucket < last ? std::max(bucket, 0.0) : last);
  counters_[(measure * groups + group % groups) * buckets + clipped] = 1;
}

void Guide::ulp(std::size_t group, double error) {
  touch(of_ulp, group, error <= 0 ? 0 : 1 + 2 * (std::log2(error) + 6));
}

void Guide::fraction(std::size_t group, double of_budget) {
  touch(of_fraction, group, of_budget <= 1 ? 16 * of_budget : 17 + std::log2(of_budget));
}

// One bucket for every factor of 4 below 1: the tightest that a double tells from equality is 2^-53.
void Guide::slack(std::size_t group, double relative) {
  touch(of_slack, group, relative > 0 ? std::max(0.0, 1 - std::log2(relative) / 2) : static_cast<double>(buckets - 1));
}

void Guide::flag(std::size_t group, unsigned which) { touch(of_flag, group, which); }

}  // namespace attncert
