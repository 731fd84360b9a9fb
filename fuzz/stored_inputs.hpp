// fuzz/corpus/normalizer within the program, by the names of its files.
#pragma once

#include <span>

#include "src/core/tape.hpp"

namespace attncert {

std::span<const Tape> stored_inputs();

}  // namespace attncert
