// What a campaign says of a kernel's worst entry: the command that repeats it alone, and what was computed there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

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

// The text's exact value, of "...: computed 0.1 (0x1.99999ap-4), exact [0.1, 0.2]"; and what was computed.
std::pair<double, double> computed_and_exact(const std::string& text) {
  const std::size_t hex = text.find(" ("), exact = text.find(", exact [");
  EXPECT_TRUE(hex != std::string::npos && exact != std::string::npos) << text;
  return {std::strtod(text.c_str() + hex + 2, nullptr), std::strtod(text.c_str() + exact + 9, nullptr)};
}

// Rows that are double-double's alone are asked again for their worst entry: its error is the one that was reported.
TEST(Accuracy, ALongRowThatDoubleDoubleJudgesAloneSaysWhatIsExact) {
  AccuracyPlan plan;
  plan.effort = Effort::full;
  plan.dtypes = {ATTNCERT_F32};
  plan.isas = {instruction_sets().front()};
  plan.only_case = "unrepeated:s=3:T=1:L=65536";
  for (const char* normalizer : {"softmax", "softmax1", "sparsemax"}) {
    plan.subjects = {normalizer};
    for (const AccuracyRow& row : run_accuracy(judged_normalizers(), plan)) {
      EXPECT_EQ(row.elements, 65536u) << row.kernel;  // the second look counts nothing
      EXPECT_EQ(row.worst_entry.find(plan.only_case + " entry "), 0u) << row.kernel << ": " << row.worst_entry;
      const auto [computed, exact] = computed_and_exact(row.worst_entry);
      const double ulp = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);  // of f32
      EXPECT_NEAR(std::abs(computed - exact) / ulp, row.worst_fraction * row.budget_ulp, 1e-3) << row.worst_entry;
    }
  }
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
