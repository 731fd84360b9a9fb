// What the target `attention` has against a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fuzz/guide.hpp"

namespace attncert {

struct AttentionFinding {
  std::string where, what;  // the kernel and the call; the element and its error
};

std::optional<AttentionFinding> attention_finding(std::span<const std::uint8_t> input, Guide& guide);

}  // namespace attncert
