// The stated tolerances, in full: every built-in kernel on every instruction set at full effort, lengths up to 2^20,
// and enough was judged.
#include <gtest/gtest.h>

#include "properties/conformance/accuracy/accuracy.hpp"

namespace attncert {
namespace {

TEST(AccuracySweep, EveryKernelKeepsItsBudgetUpTo2To20) {
  AccuracyPlan plan;
  plan.effort = Effort::full;
  for (const AccuracyRow& row : run_accuracy(judged_normalizers(), plan)) {
    EXPECT_EQ(row.outside + row.undecided, 0u)
        << row.kernel << " on " << row.isa << ": " << row.worst_entry << "; " << row.contract;
    EXPECT_GE(row.elements, 50000u);
    EXPECT_GE(row.contract_rows, 200u);
  }
}

}  // namespace
}  // namespace attncert
