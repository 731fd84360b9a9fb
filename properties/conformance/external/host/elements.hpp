// Elements as bit patterns, which fill buffers and are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/kernel/dtype.hpp"

namespace attncert::external {

struct Pattern {
  std::size_t bytes;
  std::uint64_t infinity;   // magnitudes beyond it are NaN
  std::uint64_t poison[2];  // quiet NaNs whose payloads no arithmetic produces
  std::uint64_t nan;        // the NaN that arithmetic produces
};

constexpr Pattern pattern(attncert_dtype dtype) {
  const Format& f = formats[format_number(dtype)];
  const std::uint64_t quiet = std::uint64_t{1} << (f.digits - 2), payload = quiet - 1;
  const std::uint64_t infinity = (UINT64_MAX >> (65 - 8 * f.bytes)) & ~(2 * quiet - 1), nan = infinity | quiet;
  return {f.bytes, infinity, {nan | (0x5a5a5a5a5a5a5a5a & payload), nan | (0x3c3c3c3c3c3c3c3c & payload)}, nan};
}

static_assert(pattern(ATTNCERT_F64).nan == 0x7ff8000000000000 && pattern(ATTNCERT_BF16).infinity == 0x7f80);

inline std::uint64_t element(const Pattern& pattern, const std::byte* array, std::size_t index) {
  std::uint64_t bits = 0;  // little-endian, as is every machine that Highway dispatches on
  std::memcpy(&bits, array + index * pattern.bytes, pattern.bytes);
  return bits;
}

inline bool is_nan(const Pattern& pattern, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << (8 * pattern.bytes - 1));
  return magnitude > pattern.infinity;
}

}  // namespace attncert::external
