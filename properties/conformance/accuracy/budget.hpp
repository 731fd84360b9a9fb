// The budget a kernel is judged by: what stands beside the built-in kernel of the same normalizer and type. A kernel of
// one's own is held to the same, or to the class that its descriptor names (docs/budgets.md).
#pragma once

#include "attncert/kernel.h"
#include "src/kernel/budget.hpp"

namespace attncert {

// An infinite bound when there is nothing to go by.
Budget budget_of(const attncert_kernel& kernel);

}  // namespace attncert
