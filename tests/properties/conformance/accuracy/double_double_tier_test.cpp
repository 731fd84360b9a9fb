// The double-double tier as the accuracy campaign asks it, against Interval's judgement of the same rows: whatever it
// decides to be within what is allowed is so, for every normalizer, type and budget that it serves, on rows that were
// moved by a unit here and there.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/cases.hpp"
#include "properties/conformance/accuracy/double_double_tier.hpp"
#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/counter.hpp"
#include "src/kernel/budget.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

// The number `steps` representable ones further from zero.
double moved(attncert_dtype dtype, double value, int steps) {
  const Format& f = format(dtype);
  if (!std::isfinite(value)) return value;
  const int binade = value == 0 ? f.min_exponent - 1 : std::max(std::ilogb(value), f.min_exponent - 1);
  return rounded(dtype, value + std::copysign(std::ldexp(steps, binade - f.digits + 1), value));
}

std::vector<double> moved_to(attncert_dtype dtype, std::vector<double> values, int most) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = moved(dtype, values[i], static_cast<int>(random_below(1, i, static_cast<std::uint64_t>(most))));
  return values;
}

struct Totals {
  std::uint64_t rows = 0, refused = 0, seen = 0, decided = 0, open = 0;
};

void compare(const Normalizer& normalizer, const attncert_kernel& kernel, const Budget& budget, const LogitRow& row,
             const std::vector<double>& computed, Totals& totals) {
  const DoubleDoubleTier tier(normalizer, row, kernel.dtype_out);
  ++totals.rows;
  if (!tier.offered()) {
    ++totals.refused;
    return;
  }
  const TierOutcome outcome = tier.judge(computed, budget, true);
  const auto truth = normalizer.truth(row);
  std::vector<std::size_t> outside;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    Judged one{computed, &budget};
    judge_row(normalizer, row, *truth, format(kernel.dtype_out), std::span(&i, 1), {&one, 1});
    if (one.judgement.outside != 0) outside.push_back(i);
  }
  if (outcome.elements == 0) {  // an error was seen, or nothing could be decided: never on a row without either
    ++totals.seen;
    ASSERT_TRUE(!outside.empty() || outcome.open.size() == computed.size()) << "an error that is none";
    return;
  }
  for (const std::size_t i : outside)
    ASSERT_TRUE(std::ranges::count(outcome.open, i) == 1)
        << "entry " << i << " holds " << computed[i] << ", called right";
  totals.decided += outcome.elements;
  totals.open += outcome.open.size();
}

void compare_rows(const Normalizer& normalizer, attncert_dtype dtype, Totals& totals) {
  const attncert_kernel& kernel = *find_kernel(normalizer.name, dtype);
  attncert_kernel copy = kernel;
  copy.name = "copy";  // a kernel of one's own, held to a class that allows every entry something else
  copy.budget = "three-pass";
  const Budget of_class = budget_of(copy);
  for (std::uint64_t n = 0; n < 60; ++n) {
    const AccuracyCase which{"regime:" + std::to_string(n), AccuracyCase::Source::regime, 0, 0, 0, n};
    LogitRow row = case_row(which, 20261122, Effort::quick, dtype);
    add_parameters(row, which, 20261122, dtype, normalizer);
    if (kind(row) != RowKind::ordinary) continue;
    const std::vector<double> right = guarded_call(kernel, row).output;
    for (const int steps : {0, 1, 5}) {
      SCOPED_TRACE(std::string(kernel.name) + " " + which.name + ", " + std::to_string(steps) + " units off");
      std::vector<double> computed = right;
      if (steps != 0) {
        const std::size_t at = random_below(n, static_cast<std::uint64_t>(steps), computed.size());
        computed[at] = moved(dtype, computed[at], steps);
      }
      compare(normalizer, kernel, *built_in_budget(kernel), row, computed, totals);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
      if (steps != 0) continue;
      compare(normalizer, kernel, of_class, row, moved_to(dtype, right, 6), totals);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
  }
}

TEST(DoubleDoubleTier, CallsRightWhatIntervalDoes) {
  std::size_t served = 0;
  for (const Subject* subject : subjects()) {
    if (!DoubleDoubleTier::serves(*subject)) continue;
    ++served;
    for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64, ATTNCERT_F16, ATTNCERT_BF16}) {
      Totals totals;
      compare_rows(*subject, dtype, totals);
      ASSERT_FALSE(HasFatalFailure());
      std::printf("%s.%s: %llu rows, %llu refused, %llu with an error seen; %llu decided, %llu open\n",
                  std::string(subject->name).c_str(), std::string(format(dtype).name).c_str(),
                  static_cast<unsigned long long>(totals.rows), static_cast<unsigned long long>(totals.refused),
                  static_cast<unsigned long long>(totals.seen), static_cast<unsigned long long>(totals.decided),
                  static_cast<unsigned long long>(totals.open));
      EXPECT_GT(totals.seen, totals.rows / 10) << "what is wrong must be seen";
      EXPECT_GT(totals.decided, 2 * totals.open) << "most of what is right must be decided, in rows of extremes too";
    }
  }
  EXPECT_GE(served, 7u);
}

}  // namespace
}  // namespace attncert
