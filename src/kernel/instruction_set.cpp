// Instruction sets by Highway's names. Highway keeps its choice in process-wide state; forcing sets that state.
#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "src/core/assert.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

std::string current_instruction_set() { return instruction_sets().front(); }

namespace {

// Asked for once: Highway would ask the processor each time, by instructions that trap on virtual machines (30 us).
std::int64_t targets_of_machine() {
  static const std::int64_t targets = hwy::SupportedTargets();
  return targets;
}

void choose(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(targets);
}

}  // namespace

ForcedInstructionSet::ForcedInstructionSet(std::string_view name) {
  targets_of_machine();
  static const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  const auto found =
      std::find_if(targets.begin(), targets.end(), [&](std::int64_t t) { return name == hwy::TargetName(t); });
  ATTNCERT_ASSERT(found != targets.end());
  choose(*found);
}

ForcedInstructionSet::~ForcedInstructionSet() { choose(targets_of_machine()); }

}  // namespace attncert
