// Functions without context that reach objects: attncert_kernel::run takes no pointer of its own, so each living foreign kernel
// holds one of a fixed number of functions.
#pragma once

#include <functional>

#include "attncert/kernel.h"

namespace attncert::foreign {

using Call = std::function<attncert_status(const attncert_arguments*)>;
using Door = attncert_status (*)(const attncert_arguments*);

inline constexpr std::size_t doors = 128;  // two full libraries at a time

Door take_door(Call call);  // null when all are taken
void give_back(Door door);

}  // namespace attncert::foreign
