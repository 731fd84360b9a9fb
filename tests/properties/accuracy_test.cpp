// The judge on values whose error is known by hand; the accuracy job on the built-in kernels; captured rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/accuracy/accuracy.hpp"
#include "properties/accuracy/budget.hpp"
#include "properties/accuracy/captured.hpp"
#include "properties/accuracy/judge.hpp"
#include "properties/generators/logits.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

const Subject& softmax() { return *find_subject("softmax"); }
const Subject& sparsemax() { return *find_subject("sparsemax"); }

float stepped(float value, int ulps) {
  for (; ulps > 0; --ulps) value = std::nextafter(value, 2.0f);
  return value;
}

// 1/3 = 0xAAAAAA.AA.. 2^-25: the nearest f32 is 0xAAAAAB 2^-25, a third of an ulp above.
TEST(Judge, ErrorsAreThoseComputedByHand) {
  RowReference row(LogitRow{{5, 5, 5}, 0.7, {}});
  const float third = 0x1.555556p-2f;
  Judgement judgement;
  judge_entry(judgement, softmax(), row, 0, third, 4.0);
  EXPECT_NEAR(judgement.worst_ulp, 1.0 / 3, 1e-9);
  judge_entry(judgement, softmax(), row, 1, stepped(third, 3), 4.0);
  EXPECT_EQ(judgement.outside, 0u);
  judge_entry(judgement, softmax(), row, 2, stepped(third, 4), 4.0);
  EXPECT_EQ(judgement.outside, 1u);
  EXPECT_EQ(judgement.worst_position, 2u);
  EXPECT_NEAR(judgement.worst_ulp, 4 + 1.0 / 3, 1e-9);
  EXPECT_EQ(judgement.elements, 3u);
}

// A budget just below the upper end of the error enclosed at 64 bits straddles there; more bits decide it.
TEST(Judge, AStraddlingErrorIsDecidedAtMorePrecision) {
  RowReference row(LogitRow{{0, -1}, 1, {}});
  const float nearest = static_cast<float>(row.softmax(1, {512}).midpoint());
  Judgement wide, narrow;
  judge_entry(wide, softmax(), row, 1, nearest, 4.0);
  judge_entry(narrow, softmax(), row, 1, nearest, std::nextafter(wide.worst_ulp, 0.0));
  EXPECT_EQ(narrow.undecided, 0u);
  EXPECT_EQ(narrow.outside, 0u);
  EXPECT_LT(narrow.worst_ulp, wide.worst_ulp);
}

TEST(Judge, WrongSpecialValuesAreOutside) {
  RowReference row(LogitRow{{1, -std::numeric_limits<double>::infinity(), 2}, 1, {1, 1, 0}});
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 0.0f}) {
    Judgement judgement;
    judge_entry(judgement, softmax(), row, 0, wrong, 4.0);
    EXPECT_EQ(judgement.outside, 1u) << wrong;
    EXPECT_GT(judgement.worst_ulp, 1e6);
  }
  for (const std::size_t absent : {1u, 2u}) {
    Judgement judgement;
    judge_entry(judgement, softmax(), row, absent, 0.0f, 4.0);
    EXPECT_EQ(judgement.outside, 0u);
    judge_entry(judgement, softmax(), row, absent, std::numeric_limits<float>::denorm_min(), 4.0);
    EXPECT_EQ(judgement.outside, 1u);
  }
}

// exp(-88) = 6.05e-39 is a subnormal f32 (the smallest normal is 1.18e-38), exp(-87) = 1.64e-38 a normal one: neither
// may be flushed; exp(-200) has no f32 but 0.
TEST(Judge, FlushingIsOutside) {
  RowReference row(LogitRow{{0, -87, -88, -200}, 1, {}});
  for (const std::size_t i : {1u, 2u}) {
    Judgement judgement;
    judge_entry(judgement, softmax(), row, i, 0.0f, 6.0);
    EXPECT_EQ(judgement.outside, 1u) << i;
  }
  Judgement judgement;
  judge_entry(judgement, softmax(), row, 3, 0.0f, 6.0);
  EXPECT_EQ(judgement.outside, 0u);
}

TEST(Judge, TheSupportOfSparsemaxIsExact) {
  RowReference row(LogitRow{{0, -1, -0.5}, 1, {}});  // tau = -3/4 with support {0, 2}: weights 3/4, 0, 1/4
  const float right[] = {0.75f, 0, 0.25f};
  EXPECT_EQ(judge_row<float>(sparsemax(), row, right, 2.0).outside, 0u);
  const float extra[] = {0.75f, std::numeric_limits<float>::denorm_min(), 0.25f};
  EXPECT_EQ(judge_row<float>(sparsemax(), row, extra, 2.0).outside, 1u);
  RowReference edge(LogitRow{{0, std::nextafter(-1.0, 0.0)}, 1, {}});  // second weight 2^-54: tiny, and in the support
  const double dropped[] = {1, 0};
  EXPECT_EQ(judge_row<double>(sparsemax(), edge, dropped, 2.0).outside, 1u);
}

TEST(Judge, InfiniteTruthsBeyondTheFormatAreRoundedToInfinity) {
  const Subject& log_softmax = *find_subject("log-softmax");
  const double largest = std::numeric_limits<float>::max();
  RowReference row(LogitRow{{largest, -largest}, 1, {}});
  const float entries[] = {0, -std::numeric_limits<float>::infinity()};
  EXPECT_EQ(judge_row<float>(log_softmax, row, entries, 4.0).outside, 0u);
  RowReference wide(LogitRow{{1e308, -1e308}, 1e-30, {}});  // the truth, -2e338, has no double
  const double doubles[] = {0, -std::numeric_limits<double>::infinity()};
  EXPECT_EQ(judge_row<double>(log_softmax, wide, doubles, 4.0).outside, 0u);
  RowReference near(LogitRow{{0, -1e38}, 1, {}});
  EXPECT_EQ(judge_row<float>(log_softmax, near, entries, 4.0).outside, 1u);
}

TEST(ChosenPositions, HoldTheEndsTheLargestAndTheSuspicious) {
  const auto logits = normal_logits<double>(9, 5000, 3);
  RowReference row(LogitRow{logits, 1, {}});
  std::vector<double> computed(5000);
  std::size_t largest = 0;
  for (std::size_t i = 0; i < 5000; ++i) {
    computed[i] = row.softmax(i, {64}).midpoint();
    if (logits[i] > logits[largest]) largest = i;
  }
  computed[3333] *= 1 + 1e-9;
  computed[1234] = NAN;
  const auto chosen = chosen_positions<double>(screens(softmax(), row), row, computed, 256);
  EXPECT_LE(chosen.size(), 300u);
  for (const std::size_t wanted : {std::size_t{0}, std::size_t{4999}, std::size_t{3333}, std::size_t{1234}, largest})
    EXPECT_TRUE(std::binary_search(chosen.begin(), chosen.end(), wanted)) << wanted;
  EXPECT_EQ(chosen_positions<double>(screens(softmax(), row), row, computed, 5000).size(), 5000u);
}

std::string described(const AccuracyRow& row) {
  return row.kernel + " on " + row.isa + ": worst " + std::to_string(row.worst_ulp) + " ulp of " +
         std::to_string(row.budget_ulp) + "; " + row.contract + "; " + row.witness + "; " + row.replay;
}

TEST(Accuracy, BuiltInKernelsKeepTheirBudgetsOnShortRows) {
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  const auto rows = run_accuracy(plan);
  EXPECT_EQ(rows.size(), built_in_kernels().size() * instruction_sets().size());
  for (const AccuracyRow& row : rows) {
    EXPECT_EQ(row.outside, 0u) << described(row);
    EXPECT_EQ(row.undecided, 0u) << described(row);
    EXPECT_GE(row.elements, 5000u);
    EXPECT_GE(row.contract_rows, 20u);
    EXPECT_GT(row.worst_ulp, 0);
    EXPECT_LE(row.worst_fraction, 1);
    EXPECT_EQ(row.contract.find("default: kept"), 0u);
  }
}

// The bars of the issue: softmax 4 ulp at T = 1, 6 elsewhere; sparsemax 2. A budget that promises less is no budget.
TEST(Accuracy, BudgetsAreWithinTheBars) {
  for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64}) {
    EXPECT_LE(budget_ulp("softmax", dtype, 1.0), 4);
    EXPECT_LE(budget_ulp("softmax", dtype, 0.7), 6);
    EXPECT_LE(budget_ulp("sparsemax", dtype, 1.0), 2);
    EXPECT_LE(budget_ulp("sparsemax", dtype, 0.1), 2);
  }
}

TEST(Accuracy, TheSameSeedGivesTheSameRowsAndACaseRepeats) {
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.normalizers = {"softmax"};
  plan.dtypes = {ATTNCERT_F32};
  plan.isas = {instruction_sets().back()};
  const auto once = run_accuracy(plan), again = run_accuracy(plan);
  ASSERT_EQ(once.size(), 1u);
  EXPECT_EQ(described(once[0]), described(again[0]));
  EXPECT_EQ(once[0].worst_ulp, again[0].worst_ulp);
  const std::size_t at = once[0].replay.find("--case ");
  ASSERT_NE(at, std::string::npos);
  plan.only_case = once[0].replay.substr(at + 7);
  const auto repeated = run_accuracy(plan);
  EXPECT_EQ(repeated[0].worst_fraction, once[0].worst_fraction);
  EXPECT_LT(repeated[0].elements, once[0].elements);
  plan.seed = 2;
  plan.only_case.clear();
  EXPECT_NE(run_accuracy(plan)[0].witness, once[0].witness);
}

TEST(Captured, EveryWeightIsJudged) {
  const auto logits = normal_logits<float>(4, 128, 3);
  std::vector<float> weights(128);
  ASSERT_EQ(run<float>(*find_kernel("softmax", ATTNCERT_F32), logits, weights, 1, 128, 1.0), ATTNCERT_OK);
  const CapturedCheck right = check_captured(logits, weights);
  EXPECT_EQ(right.outside, 0u);
  EXPECT_EQ(right.weights, 128u);
  EXPECT_GT(right.worst_ulp, 0);
  EXPECT_LE(right.worst_ulp, right.budget_ulp);
  weights[77] = stepped(weights[77], 20);
  const CapturedCheck wrong = check_captured(logits, weights);
  EXPECT_EQ(wrong.outside, 1u);
  EXPECT_GT(wrong.worst_ulp, 15);
}

// Just below a power of two an ulp is half of the one above: a weight that is 1 ulp too large there is 2 ulp off. Two
// roundings in place of one were seen here on every instruction set without fused multiply-add.
TEST(Accuracy, SparsemaxKeepsItsBudgetJustBelowAPowerOfTwo) {
  AccuracyPlan plan;
  plan.effort = Effort::full;
  plan.normalizers = {"sparsemax"};
  plan.only_case = "regime:5628";
  std::uint64_t elements = 0;
  for (const AccuracyRow& row : run_accuracy(plan)) {
    EXPECT_EQ(row.outside, 0u) << row.kernel << " on " << row.isa << ": " << row.witness;
    elements += row.elements;
  }
  EXPECT_GT(elements, 0u);
}

}  // namespace
}  // namespace attncert
