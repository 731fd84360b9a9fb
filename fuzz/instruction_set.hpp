// An instruction set by name: a choice among eight that means the same on every machine.
#pragma once

#include <string_view>

#include "src/core/tape.hpp"

namespace attncert {

// "" = the machine's own; also where the machine, or the build, does not have the one that was chosen.
std::string_view draw_instruction_set(Choices& choices);

}  // namespace attncert
