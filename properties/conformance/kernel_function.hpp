// What a judge calls: a kernel behind the C descriptor, or a function that bounds a quantity of a row. A kind of kernel
// that neither of these is becomes a third alternative.
#pragma once

#include <variant>
#include <vector>

#include "attncert/kernel.h"

namespace attncert {

struct BoundRow;
struct Reported;
using BoundKernel = std::vector<Reported> (*)(const BoundRow& row);

using KernelFunction = std::variant<const attncert_kernel*, BoundKernel>;

}  // namespace attncert
