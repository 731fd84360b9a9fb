// The orders that taylor-softmax takes: even, from 2 to this one; why not higher is in docs/budgets.md.
#pragma once

#include <cstddef>

namespace attncert {

inline constexpr std::size_t kLargestTaylorOrder = 48;

}  // namespace attncert
