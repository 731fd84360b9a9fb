// The rounding classes that have a name. `output` is f32's; a kernel that writes a narrower format sets it.
#pragma once

#include <string>
#include <vector>

#include "reference/attention/gradient.hpp"

namespace attncert::reference {

struct NamedClass {
  std::string name;
  RoundingClass rounding;
};

// block: keys per block of the block and run classes, which ascend; parts: of f32-split. Both at least 1.
std::vector<NamedClass> named_classes(std::size_t block, std::size_t parts);

// What a kernel of a named class does backwards: its weights' format is that of dS as well, and one that divides before
// it rounds keeps its weights and sums D from them. `output` of the class is the format of dQ, dK and dV.
GradientRounding backward_of(const RoundingClass& rounding);

}  // namespace attncert::reference
