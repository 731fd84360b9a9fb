// Captured attention against its own logits: every f32 weight of a row lies within the softmax kernel's budget of the
// enclosure of the exact softmax of the row's f32 logits (T = 1: the logits are captured already scaled).
#pragma once

#include <span>

#include "properties/accuracy/judge.hpp"

namespace attncert {

struct CapturedCheck {
  double worst_ulp = 0, budget_ulp = 0;
  std::uint64_t weights = 0, outside = 0, undecided = 0;
};

CapturedCheck check_captured(std::span<const float> logits, std::span<const float> weights);

}  // namespace attncert
