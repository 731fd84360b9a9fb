// Masks from a tape: bytes, 1 = keep, 0 = masked, as kernels take them; an empty vector means "no mask".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/core/tape.hpp"

namespace attncert {

enum class MaskKind : std::uint8_t {
  none,
  keep_all,
  suffix,
  prefix,
  random,
  keep_one,
  mask_all
};  // order: tape's format
inline constexpr std::size_t mask_kind_count = 7;
std::string_view name(MaskKind kind);

struct Mask {
  MaskKind kind = MaskKind::none;
  std::vector<std::uint8_t> keep;  // empty for MaskKind::none, else one byte per position
};
Mask draw_mask(Choices& choices, std::size_t length);  // length >= 1

}  // namespace attncert
