// Elements of the four formats as bit patterns, which fill buffers and are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "attncert/kernel.h"

namespace attncert::external {

struct Pattern {
  std::size_t bytes;
  std::uint64_t infinity;   // magnitudes beyond it are NaN
  std::uint64_t poison[2];  // quiet NaNs whose payloads no arithmetic produces
  std::uint64_t nan;        // the NaN that arithmetic produces
};

inline Pattern pattern(attncert_dtype dtype) {
  switch (dtype) {
    case ATTNCERT_F64:
      return {8, 0x7ff0000000000000u, {0x7ffa5a5a5a5a5a5au, 0x7ffd3c3c3c3c3c3cu}, 0x7ff8000000000000u};
    case ATTNCERT_F16:
      return {2, 0x7c00u, {0x7f5au, 0x7fbcu}, 0x7e00u};
    case ATTNCERT_BF16:
      return {2, 0x7f80u, {0x7fdau, 0x7ffcu}, 0x7fc0u};
    case ATTNCERT_F32:
      break;
  }
  return {4, 0x7f800000u, {0x7fda5a5au, 0x7ffd3c3cu}, 0x7fc00000u};
}

inline std::uint64_t element(const Pattern& pattern, const std::byte* array, std::size_t index) {
  std::uint64_t bits = 0;  // little-endian, as is every machine that Highway dispatches on
  std::memcpy(&bits, array + index * pattern.bytes, pattern.bytes);
  return bits;
}

inline void set_element(const Pattern& pattern, std::byte* array, std::size_t index, std::uint64_t bits) {
  std::memcpy(array + index * pattern.bytes, &bits, pattern.bytes);
}

inline bool is_nan(const Pattern& pattern, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << (8 * pattern.bytes - 1));
  return magnitude > pattern.infinity;
}

}  // namespace attncert::external
