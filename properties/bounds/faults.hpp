// Deliberately wrong bound kernels, and right plain ones beside them: the first must be noticed, the second must pass.
#pragma once

#include <span>
#include <string_view>

#include "properties/bounds/subject.hpp"

namespace attncert {

struct BoundFault {
  std::string_view name, subject, text, imitates;
  BoundKernel kernel;
  bool wrong = true;
};

std::span<const BoundFault> bound_faults();         // wrong
std::span<const BoundFault> right_bound_kernels();  // right, plain

}  // namespace attncert
