// The list of kernels, and forcing an instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "src/kernel/budget.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

TEST(InstructionSets, ForcingHoldsAndEnds) {
  const std::string best = current_instruction_set();
  const std::vector<std::string> all = instruction_sets();
  EXPECT_EQ(all.front(), best);
  for (const std::string& name : all) {
    const ForcedInstructionSet forced(name);
    EXPECT_EQ(current_instruction_set(), name);
  }
  EXPECT_EQ(current_instruction_set(), best);
  EXPECT_EQ(instruction_sets(), all);
}

// What any machine of the architecture runs.
TEST(InstructionSets, TheLeastIsAlwaysThere) {
  const std::string last = instruction_sets().back();
#if defined(__aarch64__)
  EXPECT_EQ(last, "NEON");
#else
  EXPECT_TRUE(last == "SCALAR" || last == "EMU128") << last;
#endif
}

TEST(InstructionSetsDeathTest, UnknownNameAborts) {
  EXPECT_DEATH({ const ForcedInstructionSet forced("VAX"); }, "found != targets.end");
}

// Forcing must change what runs: with and without fused multiply-add, some of 500 weights differ in their last bit.
TEST(InstructionSets, ForcingChangesTheCode) {
  const std::vector<std::string> all = instruction_sets();
  if (all.size() < 3) GTEST_SKIP() << "one instruction set only";
  std::vector<float> logits(500), best(500), scalar(500);
  for (std::size_t i = 0; i < 500; ++i) logits[i] = std::sin(static_cast<float>(i)) * 5;
  const attncert_kernel& kernel = *find_kernel("softmax", ATTNCERT_F32);
  ASSERT_EQ(run<float>(kernel, logits, best, 1, 500, 0.7), ATTNCERT_OK);
  const ForcedInstructionSet forced(all.back());
  ASSERT_EQ(run<float>(kernel, logits, scalar, 1, 500, 0.7), ATTNCERT_OK);
  EXPECT_NE(std::memcmp(best.data(), scalar.data(), 500 * sizeof(float)), 0);
}

TEST(Kernels, AreListedOnceWithABudget) {
  std::set<std::string> names;
  for (const attncert_kernel* kernel : built_in_kernels()) {
    EXPECT_TRUE(names.insert(kernel->name).second) << kernel->name;
    EXPECT_EQ(kernel->abi, ATTNCERT_KERNEL_ABI);
    EXPECT_EQ(kernel->size, sizeof(attncert_kernel));
    const attncert_kernel* first = find_kernel(kernel->normalizer, kernel->dtype_in);
    EXPECT_TRUE(first == kernel || std::string(kernel->name).starts_with("softmax-half-ulp.")) << kernel->name;
    EXPECT_LE(ulp_budget(*kernel, 1), ulp_budget(*kernel, 0.7));
    EXPECT_LE(ulp_budget(*kernel, 0.7), 12);  // log-softmax.f64: docs/budgets.md
  }
  EXPECT_EQ(names.size(), built_in_kernels().size());
  EXPECT_NE(find_kernel("softmax", ATTNCERT_BF16), nullptr);
  EXPECT_EQ(find_kernel("no-such", ATTNCERT_F32), nullptr);
  const attncert_kernel copy = *find_kernel("softmax", ATTNCERT_F32);
  EXPECT_TRUE(std::isinf(ulp_budget(copy, 1)));
}

}  // namespace
}  // namespace attncert
