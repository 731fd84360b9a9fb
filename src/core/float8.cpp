#include "src/core/float8.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attncert {

double widened(const Float8& format, std::uint8_t code) noexcept {
  const int magnitude = code & 0x7f, fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const int exponent = magnitude >> format.fraction_bits;
  double value = std::ldexp(fraction, 1 - format.bias - format.fraction_bits);
  if (exponent > 0)
    value = std::ldexp((1 << format.fraction_bits) + fraction, exponent - format.bias - format.fraction_bits);
  if (magnitude > format.largest)
    value = format.has_infinity && fraction == 0 ? std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::quiet_NaN();
  return (code & 0x80) != 0 ? -value : value;
}

std::uint8_t narrowed(const Float8& format, double value) noexcept {
  const int sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return static_cast<std::uint8_t>(sign | 0x7f);
  const double magnitude = std::abs(value);
  if (magnitude >= widened(format, format.largest)) return static_cast<std::uint8_t>(sign | format.largest);
  const int lowest = 1 - format.bias, exponent = std::max(magnitude == 0 ? lowest : std::ilogb(magnitude), lowest);
  // In units of the last place, of which a normal number has 2^fraction_bits or more; a carry runs into the exponent.
  const double units = (std::ldexp(magnitude, format.fraction_bits - exponent) + 0x1p52) - 0x1p52;
  return static_cast<std::uint8_t>(sign | (((exponent - lowest) << format.fraction_bits) + static_cast<int>(units)));
}

}  // namespace attncert
