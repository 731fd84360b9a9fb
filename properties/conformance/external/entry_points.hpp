// Entry points for kernels of an external library. attncert_kernel::run takes no context, so each kernel of an open
// library holds one of a fixed number of C functions, and that function makes its call.
#pragma once

#include <functional>

#include "attncert/kernel.h"

namespace attncert::external {

using Call = std::function<attncert_status(const attncert_arguments*)>;
using EntryPoint = attncert_status (*)(const attncert_arguments*);

inline constexpr std::size_t entry_points = 128;  // two full libraries at a time

EntryPoint take_entry_point(Call call);  // null when all are taken
void give_back(EntryPoint entry_point);

}  // namespace attncert::external
