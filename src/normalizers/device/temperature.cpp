#include "src/normalizers/device/temperature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/normalizers/scale.hpp"

namespace attncert {

// Above 2^220 rows are uniform (docs/budgets.md).
DeviceTemperature device_temperature(double given, double reach, double least) {
  const double temperature = std::clamp(given, least, FormatLimits<float>::sparse_limit);
  DeviceTemperature t{};
  const double half = std::frexp(temperature, &t.exponent);  // in [1/2, 1)
  t.exponent -= 1;
  t.mantissa = static_cast<std::uint64_t>(std::ldexp(half, 53));
  t.inverse = static_cast<std::uint64_t>(0x1p115L / static_cast<long double>(t.mantissa) + 0.5L);
  const double far = reach * temperature;
  t.reach = far < 0x1p127 ? rounded_up(far) : std::numeric_limits<float>::infinity();
  return t;
}

float rounded_up(double x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (x > static_cast<double>(std::numeric_limits<float>::max())) return infinity;
  const auto nearest = static_cast<float>(x);
  return static_cast<double>(nearest) < x ? std::nextafter(nearest, infinity) : nearest;
}

DeviceNumber device_number(long double x) {
  if (x == 0) return {0, 0, 0};
  int exponent = 0;
  const long double part = std::frexp(x, &exponent);  // in [1/2, 1)
  return {static_cast<std::uint64_t>(std::ldexp(part, 64)), exponent - 64, 0};
}
DeviceNumber device_quotient(double s, double temperature) {
  return device_number(std::abs(static_cast<long double>(s)) / static_cast<long double>(temperature));
}

}  // namespace attncert
