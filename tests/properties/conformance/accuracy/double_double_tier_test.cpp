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

// What a kernel may have made of a row, and Interval's word on each entry.
struct Answer {
  std::vector<double> computed;
  const Budget* budget;
  std::string name;
  std::vector<std::size_t> outside{};
};

// One enclosure an entry for all answers: it is what costs.
void ask_interval(const Normalizer& normalizer, const LogitRow& row, attncert_dtype dtype,
                  std::vector<Answer>& answers) {
  const auto truth = normalizer.truth(row);
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    std::vector<Judged> judged;
    for (const Answer& answer : answers) judged.push_back({answer.computed, answer.budget});
    judge_row(normalizer, row, *truth, format(dtype), std::span(&i, 1), judged);
    for (std::size_t a = 0; a < answers.size(); ++a)
      if (judged[a].judgement.outside != 0) answers[a].outside.push_back(i);
  }
}

void compare(const DoubleDoubleTier& tier, const Answer& answer, Totals& totals) {
  const TierOutcome outcome = tier.judge(answer.computed, *answer.budget, true);
  if (outcome.elements == 0) {  // an error was seen, or nothing could be decided: never on a row without either
    ++totals.seen;
    ASSERT_TRUE(!answer.outside.empty() || outcome.open.size() == answer.computed.size()) << "an error that is none";
    return;
  }
  for (const std::size_t i : answer.outside)
    ASSERT_TRUE(std::ranges::count(outcome.open, i) == 1)
        << "entry " << i << " holds " << answer.computed[i] << ", called right";
  totals.decided += outcome.elements;
  totals.open += outcome.open.size();
}

// What the kernel itself computes, the same with one entry one and five units off, and with all entries up to six off,
// held to the class of kernels of one's own.
std::vector<Answer> answers_to(const attncert_kernel& kernel, const LogitRow& row, std::uint64_t seed,
                               const Budget& of_class) {
  const std::vector<double> right = guarded_call(kernel, row).output;
  const Budget* own = built_in_budget(kernel);
  std::vector<Answer> answers{{right, own, "as computed"},
                              {moved_to(kernel.dtype_out, right, 6), &of_class, "all up to 6 units off"}};
  for (const int steps : {1, 5}) {
    Answer answer{right, own, std::to_string(steps) + " units off"};
    double& one = answer.computed[random_below(seed, static_cast<std::uint64_t>(steps), right.size())];
    one = moved(kernel.dtype_out, one, steps);
    answers.push_back(std::move(answer));
  }
  return answers;
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
    const DoubleDoubleTier tier(normalizer, row, kernel.dtype_out);
    ++totals.rows;
    if (!tier.offered()) {
      ++totals.refused;
      continue;
    }
    std::vector<Answer> answers = answers_to(kernel, row, n, of_class);
    ask_interval(normalizer, row, dtype, answers);
    for (const Answer& answer : answers) {
      SCOPED_TRACE(std::string(kernel.name) + " " + which.name + ", " + answer.name);
      compare(tier, answer, totals);
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
      EXPECT_GT(totals.seen, 2 * totals.rows / 5) << "what is wrong must be seen";
      EXPECT_GT(totals.decided, 2 * totals.open) << "most of what is right must be decided, in rows of extremes too";
    }
  }
  EXPECT_GE(served, 7u);
}

}  // namespace
}  // namespace attncert
