// A device as the first judge of the campaign's rows, beside Interval and the processor's tier: what it decides is
// right, it leaves little open, and a campaign comes to the same with it and without.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/device_tier.hpp"
#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/counter.hpp"
#include "src/device/kernel_texts.hpp"
#include "src/kernel/dtype.hpp"
#include "tests/device/mistaken.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t device_tier_seed = 20261130;

// An answer to a row with a mistake in one entry, or none; the outcome of the device.
struct TierAnswer {
  std::vector<double> computed;
  TierOutcome outcome{};
};

struct TierRow {
  const Normalizer* normalizer;
  const attncert_kernel* kernel;
  LogitRow row;
  std::deque<TierAnswer> answers;
};

double units_off(attncert_dtype dtype, double value, int steps) {
  const Format& f = format(dtype);
  const int binade = value == 0 ? f.min_exponent - 1 : std::max(std::ilogb(value), f.min_exponent - 1);
  return rounded(dtype, value + std::ldexp(steps, binade - f.digits + 1));
}

// As computed; an entry 1 and 6 units off; one that is 0, NaN or infinity.
void add_tier_answers(TierRow& made, std::uint64_t number) {
  const std::vector<double> right = guarded_call(*made.kernel, made.row).output;
  made.answers.push_back({right});
  for (const int steps : {1, 6}) {
    made.answers.push_back({right});
    double& one = made.answers.back().computed[random_below(number, static_cast<std::uint64_t>(steps), right.size())];
    one = units_off(made.kernel->dtype_out, one, steps);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  made.answers.push_back({right});
  made.answers.back().computed[random_below(number, 9, right.size())] = number % 3 == 0   ? 0
                                                                        : number % 3 == 1 ? std::nan("")
                                                                                          : infinity;
}

std::deque<TierRow> tier_rows(std::string_view normalizer, attncert_dtype dtype, std::uint64_t count) {
  std::deque<TierRow> rows;
  const Subject& subject = *find_subject(normalizer);
  for (std::uint64_t n = 0; n < count; ++n) {
    const AccuracyCase which{"regime:" + std::to_string(n), AccuracyCase::Source::regime, 0, 0, 0, n};
    LogitRow row = case_row(which, device_tier_seed, Effort::quick, dtype);
    add_parameters(row, which, device_tier_seed, dtype, subject);
    if (kind(row) != RowKind::ordinary) continue;
    add_tier_answers(rows.emplace_back(TierRow{&subject, find_kernel(normalizer, dtype), std::move(row), {}}), n);
  }
  return rows;
}

void ask_device(const device::Device& device, std::deque<TierRow>& rows) {
  DeviceTier tier(device);
  for (TierRow& one : rows) {
    const Budget budget = budget_of(*one.kernel);
    std::vector<DeviceTier::Asked> asked;
    for (TierAnswer& answer : one.answers) asked.push_back({answer.computed, &budget, &answer.outcome});
    tier.add(*one.normalizer, one.row, one.kernel->dtype_out, asked);
  }
  const Result<Done> done = tier.finish();
  ASSERT_TRUE(done) << done.error().message;
}

struct TierCounts {
  std::uint64_t answers = 0, decided = 0, wrong = 0, left = 0, contradicted = 0;
};

// Its largest share is that of one entry, and more than a rounding of the truth.
bool is_telling(const TierOutcome& outcome) { return outcome.open.empty() && outcome.worst_fraction > 0x1p-40; }

// wrong: decided though Interval says that an entry is outside; left: open, which the processor's tier decides;
// contradicted: the processor's tier says something else.
TierCounts beside_others(const std::deque<TierRow>& rows) {
  TierCounts counts;
  for (const TierRow& one : rows) {
    const Budget budget = budget_of(*one.kernel);
    const DoubleDoubleTier tier(*one.normalizer, one.row, one.kernel->dtype_out);
    const auto truth = one.normalizer->truth(one.row);
    for (const TierAnswer& answer : one.answers) {
      ++counts.answers;
      const TierOutcome processor = tier.judge(answer.computed, budget, true);
      if (answer.outcome.elements == 0) {
        counts.left += processor.elements != 0 && processor.open.empty();
        continue;
      }
      ++counts.decided;
      counts.contradicted += !agree(answer.outcome, processor) ||
                             (is_telling(processor) && processor.worst_position != answer.outcome.worst_position);
      const Judgement judged =
          judge_row(*one.normalizer, one.row, *truth, format(one.kernel->dtype_out), answer.computed, budget);
      counts.wrong += judged.outside != 0 || judged.elements != answer.outcome.elements;
    }
  }
  return counts;
}

TEST(DeviceTier, DecidesWhatIntervalDoes) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  for (const char* normalizer : {"softmax", "ssmax", "softmax1", "top-k-softmax"})
    for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F16, ATTNCERT_BF16}) {
      SCOPED_TRACE(std::string(normalizer) + " " + std::string(format(dtype).name));
      std::deque<TierRow> rows = tier_rows(normalizer, dtype, 30);
      ask_device(**device, rows);
      ASSERT_FALSE(HasFatalFailure());
      const TierCounts counts = beside_others(rows);
      EXPECT_EQ(counts.wrong, 0u);
      EXPECT_EQ(counts.contradicted, 0u);
      EXPECT_EQ(counts.left, 0u) << "of " << counts.answers;
      EXPECT_GT(counts.decided, counts.answers / 4);
      EXPECT_LT(counts.decided, counts.answers) << "what is wrong must be left open";
    }
}

// f64 is the processor's, and what a class of budgets allows.
TEST(DeviceTier, LeavesTheRestToTheProcessor) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  for (const auto& [normalizer, dtype] : {std::pair("softmax", ATTNCERT_F64), {"sparsemax", ATTNCERT_F32}}) {
    std::deque<TierRow> rows = tier_rows(normalizer, dtype, 4);
    ask_device(**device, rows);
    for (const TierRow& row : rows)
      for (const TierAnswer& answer : row.answers) EXPECT_EQ(answer.outcome.elements, 0u) << normalizer;
  }
}

// Mistakes that make it say more than it knows: Interval or the processor sees each.
TEST(DeviceTier, AMistakenDeviceIsContradicted) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  const struct {
    const char* name;
    std::string_view text;
    const char *from, *to;
    bool too_much = true;  // it calls what is wrong inside
  } mistakes[] = {
      {"whatever is large is inside", device::judge_text, "entry.error <= entry.limit &&", ""},
      {"anything where nothing takes part", device::judge_text, "entry.inside = y == 0.0", "entry.inside = true"},
      {"half of every error", device::judge_text, "(y * SCALE - exact.high)", "0.5 * (y * SCALE - exact.high)"},
      {"a sum that is short of a lane", device::truths_text, "k < PART; ++k) part = pair_sum",
       "k + 1u < PART; ++k) part = pair_sum", false},
  };
  for (const auto& mistake : mistakes) {
    std::deque<TierRow> rows = tier_rows("softmax", ATTNCERT_F32, 30);
    for (TierRow& row : rows)  // beside those an entry that takes no part, and has a weight
      for (std::size_t i = 0; i < row.row.logits.size(); ++i)
        if (!row.row.present(i)) row.answers.back().computed[i] = 0.25;
    ask_device(
        MistakenDevice(**device, mistake.text, mistaken_text(mistake.text, mistake.from, mistake.to, mistake.name)),
        rows);
    const TierCounts counts = beside_others(rows);
    EXPECT_GT(counts.wrong + counts.contradicted + (mistake.too_much ? 0 : counts.left), 0u) << mistake.name;
  }
}

// A truth of NaN is none, whatever the kernel wrote there: an entry takes part or not by its logit.
TEST(DeviceTier, WhatTakesPartIsNotTheDevicesToSay) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  const std::string text = mistaken_text(device::truths_text, "= absent ? f64_of",
                                         "= absent || weight.high < 0x1p508 ? f64_of", "small weights take no part");
  std::deque<TierRow> rows = tier_rows("softmax", ATTNCERT_F32, 30);
  for (TierRow& row : rows)
    for (double& weight : row.answers.front().computed)
      if (weight < 0x1p-4) weight = 0;
  ask_device(MistakenDevice(**device, device::truths_text, text), rows);
  const TierCounts counts = beside_others(rows);
  EXPECT_EQ(counts.wrong, 0u);
  EXPECT_GT(counts.left, 0u);
}

std::string said_of(const AccuracyRow& row) {
  std::string text = fmt::format("{} {} {:.4g} {:.4g} {:.4g} {} {} {} {} {} {}", row.kernel, row.isa, row.worst_ulp,
                                 row.worst_fraction, row.budget_ulp, row.elements, row.undecided, row.outside,
                                 row.worst_entry, row.double_double_elements, row.double_double_open);
  for (const ErrorCurve& curve : row.errors)
    for (const auto& column : {curve.at, curve.worst_ulp, curve.worst_fraction, curve.nearly_all_fraction})
      for (const double number : column) text += fmt::format(" {:.4g}", number);
  for (const std::uint64_t rows : row.shares) text += fmt::format(" {}", rows);
  return text;
}

TEST(DeviceTier, ACampaignComesToTheSame) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.isas = {instruction_sets().front()};
  plan.subjects = {"softmax"};
  plan.dtypes = {ATTNCERT_F16};
  const std::vector<AccuracyRow> alone = run_accuracy(judged_normalizers(), plan);
  plan.judge = *device;
  const std::vector<AccuracyRow> with = run_accuracy(judged_normalizers(), plan);
  ASSERT_EQ(alone.size(), with.size());
  for (std::size_t n = 0; n < alone.size(); ++n) {
    EXPECT_EQ(said_of(with[n]), said_of(alone[n]));
    EXPECT_EQ(with[n].device_contradicted, 0u);
    EXPECT_GT(2 * with[n].device_elements, with[n].double_double_elements) << with[n].kernel;
  }
}

// Of the rows that have a second opinion the processor says something else.
TEST(DeviceTier, ACampaignWithAMistakenDeviceIsUndecided) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  const MistakenDevice mistaken(**device, device::judge_text,
                                mistaken_text(device::judge_text, "(y * SCALE - exact.high)",
                                              "0.5 * (y * SCALE - exact.high)", "half of every error"));
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.isas = {instruction_sets().front()};
  plan.subjects = {"softmax1"};
  plan.dtypes = {ATTNCERT_F32};
  plan.judge = &mistaken;
  for (const AccuracyRow& row : run_accuracy(judged_normalizers(), plan)) {
    EXPECT_GT(row.device_contradicted, 0u);
    EXPECT_EQ(row.undecided, row.device_contradicted);
    EXPECT_EQ(row.outside, 0u);
  }
}

// One that fails is not asked again, and the processor judges everything.
TEST(DeviceTier, ADeviceThatFailsChangesNothing) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  const MistakenDevice failing(**device, device::judge_text, "no kernel at all");
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.isas = {instruction_sets().front()};
  plan.subjects = {"softmax"};
  plan.dtypes = {ATTNCERT_F32};
  plan.only_case = "normal:s=3:T=1:L=513";
  const std::vector<AccuracyRow> alone = run_accuracy(judged_normalizers(), plan);
  plan.judge = &failing;
  std::size_t told = 0;
  plan.judge_failed = [&](const Error& why) { told += !why.message.empty(); };
  const std::vector<AccuracyRow> with = run_accuracy(judged_normalizers(), plan);
  EXPECT_EQ(told, 1u);
  ASSERT_EQ(alone.size(), with.size());
  for (std::size_t n = 0; n < alone.size(); ++n) {
    EXPECT_EQ(said_of(with[n]), said_of(alone[n]));
    EXPECT_EQ(with[n].device_elements, 0u);
  }
}

}  // namespace
}  // namespace attncert
