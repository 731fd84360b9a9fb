// Masks from a tape: bytes, 1 = keep, 0 = masked, as kernels take them; an empty vector means "no mask".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/core/tape.hpp"

namespace attncert {

enum class MaskKind : std::uint8_t {  // the order is part of the tape's format: add at the end only
  none,
  keep_all,
  suffix,
  prefix,
  random,
  keep_one,
  mask_all,
  // What draw_mask does not draw: old tapes choose among the seven above.
  sparse,   // one in 32 is kept, and two far from each other
  vectors,  // whole blocks of 64 are masked
  body,     // all but what is left behind the last whole block of 64
  tail,     // nothing but that
  window    // kept in the middle
};
inline constexpr std::size_t mask_kind_count = 7, all_mask_kind_count = 12;
std::string_view name(MaskKind kind);

struct Mask {
  MaskKind kind = MaskKind::none;
  std::vector<std::uint8_t> keep;  // empty for MaskKind::none, else one byte per position
};
Mask draw_mask(Choices& choices, std::size_t length);  // one of the first seven kinds; length >= 1
// cut < length: where a kind begins, ends, or stands.
Mask mask_of(MaskKind kind, std::size_t length, std::size_t cut, std::uint64_t seed);

}  // namespace attncert
