#pragma once

#include <bit>
#include <cstdint>

namespace attncert {

// 2^exponent, exponent from -1022 to 1023. The library's ldexp takes most of the time of a call on one short row.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace attncert
