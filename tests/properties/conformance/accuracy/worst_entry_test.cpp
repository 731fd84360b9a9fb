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

}  // namespace
}  // namespace attncert
