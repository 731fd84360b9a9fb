// Numbers of 192 bits as src/device/kernels/long_number.cl has them, of quotients.
#pragma once

#include <array>
#include <cstdint>

namespace attncert {

// The Long of long_number.cl: (high 2^128 + middle 2^64 + low) 2^power, the first bit set, or all 0.
struct DeviceLong {
  std::uint64_t high, middle, low;
  std::int64_t power;
};
static_assert(sizeof(DeviceLong) == 32);

// 2^power numerator / (first second), its digits beyond 192 bits cut off; first second is not 0 and below 2^126.
DeviceLong device_long(std::uint64_t numerator, std::uint64_t first, std::uint64_t second, int power);

// 1 / k! in units of 2^-191, k from 1, within two: the series of power.cl.
constexpr std::size_t exponential_terms = 17;
std::array<std::uint64_t, 3 * exponential_terms> exponential_series();

}  // namespace attncert
