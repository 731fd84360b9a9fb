// docs/kernels-table.md has every built-in kernel with the budget that it promises now. What was measured is not
// compared: it moves with the machine, and a page with older numbers is not wrong.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "properties/conformance/accuracy/budget.hpp"

namespace attncert {
namespace {

using Budgets = std::map<std::string, std::string>;

// "| `softmax.f32` | 4 | ..." is {"softmax.f32", "4"}; bounds state an error with each number and have no budget.
Budgets committed_table() {
  constexpr std::string_view start = "| `", between = "` | ", end = " | ";
  std::ifstream page(std::string(ATTNCERT_SOURCE_DIR) + "/docs/kernels-table.md");
  Budgets table;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(start) || line.starts_with("| `bounds.")) continue;
    const std::size_t name = start.size(), name_end = line.find(between), budget = name_end + between.size();
    table[line.substr(name, name_end - name)] = line.substr(budget, line.find(end, budget) - budget);
  }
  return table;
}

TEST(KernelsTable, HasEveryKernelWithItsBudget) {
  const Budgets kernels = built_in_budgets(), table = committed_table();
  EXPECT_GT(kernels.size(), 100u);
  for (const auto& [kernel, budget] : kernels) {
    const auto row = table.find(kernel);
    EXPECT_EQ(row == table.end() ? "no row" : row->second, budget) << kernel << ": run scripts/kernels-page";
  }
  for (const auto& [kernel, budget] : table)
    EXPECT_TRUE(kernels.contains(kernel)) << kernel << " is no more: run scripts/kernels-page";
}

TEST(KernelsTable, ABudgetIsOneLine) {
  EXPECT_EQ(text_of({.unit = 4, .other = 4}), "4");
  EXPECT_EQ(text_of({.unit = 2.5, .other = 3, .per_depth = 1, .per_doubling = 3.1, .last = 0.5}),
            "2.5 (3 where T != 1) + 1 D + 3.1 H + 0.5 of the result");
  EXPECT_EQ(text_of({.unit = 7, .other = 7, .last = 0.5, .narrowed = true, .inner_last = 0.25}),
            "7 in f32 + 0.25 in f32 of the exact value + 0.5 of the result");
  EXPECT_EQ(text_of({.unit = 6.9, .other = 8.5, .tolerance_unit = 4, .tolerance_other = 6}),
            "6.9 (8.5 where T != 1); to be shown: 4 (6 where T != 1)");
}

}  // namespace
}  // namespace attncert
