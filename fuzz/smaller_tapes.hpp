// What to try where an input is to become smaller.
#pragma once

#include <vector>

#include "src/core/tape.hpp"

namespace attncert {

// Without some of the bytes, the last and longest pieces first, then with a byte of zero, or of less.
std::vector<Tape> smaller_tapes(const Tape& input);

}  // namespace attncert
