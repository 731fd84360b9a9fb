#include "src/normalizers/device/temperature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/normalizers/scale.hpp"

namespace attncert {

// Logits differ by 0 or by 2^-149 and more: below 2^-150 every T gives ties of the largest logit all weight. Above
// 2^220 rows are uniform (docs/budgets.md).
DeviceTemperature device_temperature(double given, double reach) {
  const double temperature = std::clamp(given, 0x1p-150, FormatLimits<float>::sparse_limit);
  DeviceTemperature t{};
  const double half = std::frexp(temperature, &t.exponent);  // in [1/2, 1)
  t.exponent -= 1;
  t.mantissa = static_cast<std::uint64_t>(std::ldexp(half, 53));
  t.inverse = static_cast<std::uint64_t>(0x1p115L / static_cast<long double>(t.mantissa) + 0.5L);
  const double far = reach * temperature;
  t.reach = far < 0x1p127 ? static_cast<float>(far) : std::numeric_limits<float>::infinity();
  if (static_cast<double>(t.reach) < far) t.reach = std::nextafter(t.reach, std::numeric_limits<float>::infinity());
  return t;
}

}  // namespace attncert
