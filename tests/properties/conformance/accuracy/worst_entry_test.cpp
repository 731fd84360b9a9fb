// What a campaign says of a kernel's worst entry: the command that repeats it alone, and what was computed there.
#include <gtest/gtest.h>

#include <set>

#include "properties/conformance/accuracy/accuracy.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// Two kernels of one normalizer and type have a command each, and what it names is judged alone.
TEST(Accuracy, ACommandNamesItsKernel) {
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.subjects = {"softmax"};
  plan.dtypes = {ATTNCERT_BF16};
  plan.isas = {instruction_sets().front()};
  plan.only_case = "degenerate:all-masked:0";
  const std::vector<AccuracyRow> all = run_accuracy(judged_normalizers(), plan);
  ASSERT_GT(all.size(), 1u);
  std::set<std::string> commands;
  for (const AccuracyRow& row : all) {
    EXPECT_NE(row.replay.find(" --kernel " + row.kernel + " "), std::string::npos) << row.replay;
    commands.insert(row.replay);
  }
  EXPECT_EQ(commands.size(), all.size());
  plan.names = {all.back().kernel};
  const std::vector<AccuracyRow> one = run_accuracy(judged_normalizers(), plan);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].kernel, all.back().kernel);
}

// The double-double tier decides, and what it does not know in decimal Interval says.
TEST(Accuracy, AWorstEntryThatDoubleDoubleDecidedSaysWhatIsExact) {
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.dtypes = {ATTNCERT_F64, ATTNCERT_F16};
  plan.isas = {instruction_sets().front()};
  plan.only_case = "normal:s=3:T=1:L=513";
  std::uint64_t decided = 0;
  for (const char* normalizer : {"softmax", "log-softmax", "sparsemax", "softmax-vjp"}) {
    plan.subjects = {normalizer};
    for (const AccuracyRow& row : run_accuracy(judged_normalizers(), plan)) {
      decided += row.double_double_elements;
      EXPECT_NE(row.worst_entry.find(": computed "), std::string::npos) << row.kernel << ": " << row.worst_entry;
      EXPECT_NE(row.worst_entry.find(", exact "), std::string::npos) << row.kernel << ": " << row.worst_entry;
    }
  }
  EXPECT_GT(decided, 0u);
}

// 99.9% of the entries stay within the worst of them, and of many entries well below it.
TEST(Accuracy, CurvesHaveWhatNearlyAllEntriesStayWithin) {
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.subjects = {"softmax", "entmax"};  // the one is double-double's, the other Interval's
  plan.dtypes = {ATTNCERT_F32};
  plan.isas = {instruction_sets().front()};
  std::size_t below = 0;
  for (const AccuracyRow& row : run_accuracy(judged_normalizers(), plan)) {
    ASSERT_EQ(row.errors.size(), 4u) << row.kernel;
    for (const ErrorCurve& curve : row.errors) {
      ASSERT_EQ(curve.nearly_all_fraction.size(), curve.at.size()) << row.kernel << " " << curve.axis;
      for (std::size_t n = 0; n < curve.at.size(); ++n) {
        EXPECT_LE(curve.nearly_all_fraction[n], curve.worst_fraction[n]) << row.kernel << " " << curve.axis;
        below += curve.nearly_all_fraction[n] < curve.worst_fraction[n];
      }
    }
  }
  EXPECT_GT(below, 0u);
}

}  // namespace
}  // namespace attncert
