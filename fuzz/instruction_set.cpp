#include "fuzz/instruction_set.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::string_view set_names[] = {"", "SCALAR", "SSSE3", "SSE4", "AVX2", "AVX3", "AVX3_DL", "EMU128"};

}  // namespace

std::string_view draw_instruction_set(Choices& choices) {
  static const std::vector<std::string> there = instruction_sets();
  const std::string_view name = choices.pick(set_names);
  return std::find(there.begin(), there.end(), name) == there.end() ? "" : name;
}

}  // namespace attncert
