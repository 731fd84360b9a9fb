// The budget a kernel is judged by: what stands beside the built-in kernel of the same normalizer and type. A kernel of
// one's own is held to the same, or to the class that its descriptor names (docs/budgets.md).
#pragma once

#include <map>
#include <string>

#include "attncert/kernel.h"
#include "src/kernel/budget.hpp"

namespace attncert {

// An infinite bound when there is nothing to go by.
Budget budget_of(const attncert_kernel& kernel);

// As docs/kernels-table.md has it: "4", "2.5; 3 where T != 1", "1.5 + 0.5 of the result".
std::string text_of(const Budget& budget);

// The same text for every built-in kernel, by name.
std::map<std::string, std::string> built_in_budgets();

}  // namespace attncert
