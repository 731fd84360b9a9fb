#include "properties/conformance/rows/temperatures.hpp"

#include <cmath>
#include <limits>

namespace attncert {
namespace {

constexpr double of_campaigns[] = {1, 0.1, 0.7, 3};

double decade(Choices& choices) {
  const std::uint64_t exponent = choices.below(31);
  const bool small = choices.flip();
  double value = 1;
  for (std::uint64_t i = 0; i < exponent; ++i) value = small ? value / 10 : value * 10;
  // The mantissa stays inside [1e-30, 1e30]: it moves toward 1.
  const double mantissa = 1 + choices.unit();
  if (exponent == 0) return value;
  return small ? value * mantissa : value / mantissa;
}

}  // namespace

std::span<const double> campaign_temperatures() { return of_campaigns; }

double draw_temperature(Choices& choices) {
  switch (choices.below(4)) {
    case 0:
      return 1;
    case 1:
      return choices.pick(of_campaigns);
    case 2:
      return std::ldexp(1.0, static_cast<int>(choices.below(199)) - 99);  // 2^-99 .. 2^99: inside 1e-30 .. 1e30
    default:
      return decade(choices);
  }
}

double draw_invalid_temperature(Choices& choices) {
  using limits = std::numeric_limits<double>;
  const double values[] = {
      0.0, -0.0, -1.0, limits::quiet_NaN(), limits::infinity(), -limits::infinity(), -limits::denorm_min()};
  return choices.pick(values);
}

}  // namespace attncert
