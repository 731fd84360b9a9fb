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

ForcedInstructionSet::ForcedInstructionSet(std::string_view name) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  const auto found =
      std::find_if(targets.begin(), targets.end(), [&](std::int64_t t) { return name == hwy::TargetName(t); });
  ATTNCERT_ASSERT(found != targets.end());
  hwy::SetSupportedTargetsForTest(*found);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

ForcedInstructionSet::~ForcedInstructionSet() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace attncert
