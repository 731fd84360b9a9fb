// A temperature as the integers of src/device/kernels/fixed.cl and number.cl have it.
#pragma once

#include <cstdint>

namespace attncert {

// The Temperature of fixed.cl.
struct DeviceTemperature {
  std::uint64_t mantissa, inverse;
  float reach;
  std::int32_t exponent;
};
static_assert(sizeof(DeviceTemperature) == 24);

// `reach`: how many T a logit with weight may be below the largest. Below `least` ties of the largest logit alone have
// weight, whatever T is.
DeviceTemperature device_temperature(double given, double reach, double least);

float rounded_up(double x);  // the least float that is x or more

// The Number of number.cl.
struct DeviceNumber {
  std::uint64_t bits;
  std::int32_t power;
  std::int32_t unused;
};
// x >= 0, its digits beyond 64 bits cut off.
DeviceNumber device_number(long double x);
// |s| / T, within 2^-62 of itself.
DeviceNumber device_quotient(double s, double temperature);

}  // namespace attncert
