// The accuracy job notices every deliberately wrong kernel and passes the right ones they were made from.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "properties/accuracy/accuracy.hpp"
#include "properties/faults/faults.hpp"

namespace attncert {
namespace {

AccuracyRow judged(const attncert_kernel& kernel, Effort effort, std::string_view case_name = "") {
  AccuracyPlan plan;
  plan.effort = effort;
  plan.kernels = {&kernel};
  plan.only_case = case_name;
  const auto rows = run_accuracy(plan);
  EXPECT_EQ(rows.size(), 1u);
  return rows.at(0);
}

std::string described(const AccuracyRow& row) {
  return row.kernel + ": " + std::to_string(row.outside) + " of " + std::to_string(row.elements) + " outside, worst " +
         std::to_string(row.worst_ulp) + " ulp of " + std::to_string(row.budget_ulp) + "; " + row.contract + "; " + row.witness;
}

class FaultTest : public testing::TestWithParam<Fault> {};

TEST_P(FaultTest, IsNoticed) {
  const Fault& fault = GetParam();
  const Effort effort = fault.case_name.empty() ? Effort::quick : Effort::normal;
  const AccuracyRow row = judged(*fault.kernel, effort, fault.case_name);
  EXPECT_GE(row.outside, 1u) << fault.text << "\n" << described(row);
  RecordProperty("outside", std::to_string(row.outside));
}

std::vector<Fault> faults_of_accuracy() {
  std::vector<Fault> list;
  for (const Fault& fault : faults())
    if (fault.habit.empty()) list.push_back(fault);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Every, FaultTest, testing::ValuesIn(faults_of_accuracy()), [](const auto& entry) {
  std::string name;
  for (const char c : entry.param.name.substr(6)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

class RightKernelTest : public testing::TestWithParam<const attncert_kernel*> {};

TEST_P(RightKernelTest, PassesWithHalfAnUlp) {
  const AccuracyRow row = judged(*GetParam(), Effort::quick);
  EXPECT_EQ(row.outside, 0u) << described(row);
  EXPECT_EQ(row.undecided, 0u) << described(row);
  EXPECT_LE(row.worst_ulp, 0.51) << described(row);  // one rounding of a double that is right to 2^-45: softmax_flaws.hpp
  EXPECT_GE(row.contract_rows, 20u);
  EXPECT_GE(row.elements, 5000u);
}

TEST_P(RightKernelTest, PassesTheLongRowsThatFaultsNeed) {
  std::set<std::string_view> cases;
  for (const Fault& fault : faults())
    if (!fault.case_name.empty()) cases.insert(fault.case_name);
  for (const std::string_view name : cases) {
    const AccuracyRow row = judged(*GetParam(), Effort::normal, name);
    EXPECT_EQ(row.outside, 0u) << described(row);
    EXPECT_GE(row.elements, 100u);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, RightKernelTest, testing::ValuesIn(right_kernels().begin(), right_kernels().end()));

TEST(Faults, AreManyAndNamedApart) {
  std::set<std::string_view> names;
  for (const Fault& fault : faults()) names.insert(fault.name);
  EXPECT_EQ(names.size(), faults().size());
  EXPECT_GE(names.size(), 12u);
}

}  // namespace
}  // namespace attncert
