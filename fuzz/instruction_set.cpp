#include "fuzz/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "hwy/targets.h"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// None, and the sets that kernels are compiled for, on whatever machine: the one without vectors first, wider ones
// after it. A stored input names a set by its place here, hence as many places as ever, of which the last are none too.
std::array<std::string_view, 8> compiled_sets() {
  std::array<std::string_view, 8> names;
  std::size_t place = 1;
  for (int bit = HWY_HIGHEST_TARGET_BIT_SCALAR; bit >= 0; --bit)
    if (const std::int64_t target = std::int64_t{1} << bit; (HWY_TARGETS & target) != 0 && place < names.size())
      names[place++] = hwy::TargetName(target);
  return names;
}

}  // namespace

std::string_view draw_instruction_set(Choices& choices) {
  static const std::vector<std::string> there = instruction_sets();
  static const auto names = compiled_sets();
  const std::string_view name = names[choices.below(names.size())];
  return std::find(there.begin(), there.end(), name) == there.end() ? "" : name;
}

}  // namespace attncert
