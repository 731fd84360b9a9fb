// docs/kernels-table.md has every built-in kernel with the budget that it promises now, and cases that run. What
// was measured is not compared: it moves with the machine, and a page with older numbers is not wrong.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "src/device/device.hpp"

namespace attncert {
namespace {

struct Line {
  std::string budget, at;  // at: the case of the worst share
};
using Lines = std::map<std::string, Line>;

// "| `softmax.f32` | 4 | ... | `regime:7` |" is {"softmax.f32", {"4", "regime:7"}}.
Lines committed_table() {
  constexpr std::string_view start = "| `", between = "` | ", end = " | ", last = "` |";
  std::ifstream page(std::string(ATTNCERT_SOURCE_DIR) + "/docs/kernels-table.md");
  Lines table;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(start)) continue;
    const std::size_t name = start.size(), name_end = line.find(between), budget = name_end + between.size();
    const std::size_t at = line.rfind(start) + start.size(), at_end = line.rfind(last);
    table[line.substr(name, name_end - name)] = {line.substr(budget, line.find(end, budget) - budget),
                                                 line.substr(at, at_end - at)};
  }
  return table;
}

TEST(KernelsTable, HasEveryKernelWithItsBudget) {
  const auto kernels = built_in_budgets();
  const Lines table = committed_table();
  EXPECT_GT(kernels.size(), 100u);
  for (const auto& [kernel, budget] : kernels) {
    const auto row = table.find(kernel);
    EXPECT_EQ(row == table.end() ? "no row" : row->second.budget, budget) << kernel << ": run scripts/kernels-page";
  }
  for (const auto& [kernel, line] : table)
    EXPECT_TRUE(kernels.contains(kernel) || kernel.starts_with("bounds.")) << kernel << " is no more: run "
                                                                           << "scripts/kernels-page";
}

// The page says that `attncert accuracy --effort quick --case CASE` runs each again.
TEST(KernelsTable, EveryCaseIsKnownToItsSubjectOnADeviceToo) {
  const Lines table = committed_table();
  std::size_t found = 0;
  for (const JudgedSubject* subject : judged_subjects())
    for (const JudgedKernel& kernel : subject->kernels()) {
      const auto row = table.find(kernel.name);
      if (row == table.end()) continue;  // the other test's
      ++found;
      EXPECT_EQ(subject->case_named(Effort::quick, row->second.at).size(), 1u)
          << kernel.name << " at " << row->second.at << ": run scripts/kernels-page";
    }
  // Without a device those of one are no kernels of any subject.
  for (const auto& [kernel, line] : table) {
    const bool there = kernel.starts_with("bounds.") ? bool(device::f64_device()) : bool(device_name());
    found += !there && kernel.find(".device.") != std::string::npos;
  }
  EXPECT_EQ(found, table.size());
}

TEST(KernelsTable, ABudgetIsOneLine) {
  EXPECT_EQ(text_of({.unit = 4, .other = 4}), "4");
  EXPECT_EQ(text_of({.unit = 2.5, .other = 3, .last = 0.5}), "2.5 (3 where T != 1) + 0.5 of the result");
  EXPECT_EQ(text_of({.unit = 7, .other = 7, .last = 0.5, .narrowed = true, .inner_last = 0.25}),
            "7 in f32 + 0.25 in f32 of the exact value + 0.5 of the result");
  EXPECT_EQ(text_of({.unit = 6.9, .other = 8.5, .tolerance_unit = 4, .tolerance_other = 6}),
            "6.9 (8.5 where T != 1); to be shown: 4 (6 where T != 1)");
}

}  // namespace
}  // namespace attncert
