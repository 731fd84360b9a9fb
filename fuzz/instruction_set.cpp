#include "fuzz/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// None, and the sets that kernels are or were compiled for, on whatever machine. A stored input names a set by its
// place here (docs/tape.md).
constexpr std::array<std::string_view, 8> names{"", "SCALAR", "SSSE3", "SSE4", "AVX2", "AVX3", "AVX3_DL", "EMU128"};

}  // namespace

std::string_view draw_instruction_set(Choices& choices) {
  static const std::vector<std::string> there = instruction_sets();
  const std::string_view name = names[choices.below(names.size())];
  return std::find(there.begin(), there.end(), name) == there.end() ? "" : name;
}

}  // namespace attncert
