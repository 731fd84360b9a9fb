// Where a diagonal and a window lie among keys, whatever offsets and windows a caller gives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace attncert {

// offset - by, or the lowest number where that is below all.
inline std::int64_t lowered(std::int64_t offset, std::uint64_t by) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  const std::uint64_t room = static_cast<std::uint64_t>(offset) - static_cast<std::uint64_t>(lowest);
  return by >= room ? lowest : static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) - by);
}

// offset + by, or the highest number where that is above all.
inline std::int64_t raised(std::int64_t offset, std::uint64_t by) {
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t room = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(offset);
  return by >= room ? highest : static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) + by);
}

// The farthest that a position keeps apart, as an offset.
inline constexpr std::int64_t farthest_offset = std::int64_t{1} << 61;

// query + offset - by, below 2^62 in magnitude: exact where a key can be at it, else on the same side of all keys.
// query: below 2^61, as the position of everything that is in memory.
inline std::int64_t position(std::size_t query, std::int64_t offset, std::uint64_t by) {
  return static_cast<std::int64_t>(query) + std::clamp(lowered(offset, by), -farthest_offset, farthest_offset);
}

}  // namespace attncert
