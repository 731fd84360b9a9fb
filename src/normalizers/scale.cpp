// The constants of scale.hpp. ln2 and log2(e) are split into a double and the double of what remains (MPFR, 160 bits).
#include "src/normalizers/scale.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "src/core/power_of_two.hpp"

namespace attncert {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Rest = 0x1.abc9e3b39803fp-56;
constexpr double kLog2E = 0x1.71547652b82fep+0;

float head_of(double value) {
  constexpr std::uint32_t mask = ~((std::uint32_t{1} << FormatLimits<float>::head_cut) - 1);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) & mask);
}

// floor(log2 value), kept within -1023 and 1023. The library's ilogb is as slow as its ldexp.
template <class Wide>
int exponent_of(Wide value) {
  if (value < Wide(0x1p-1022)) return -1023;
  if (value >= Wide(0x1p1023)) return 1023;
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(static_cast<double>(value)) >> 52) - 1023;
  return value < static_cast<Wide>(power_of_two(exponent)) ? exponent - 1 : exponent;  // double may round up
}

}  // namespace

template <class T>
Scale<T> make_scale(WideTemperature<T> temperature, double limit) {
  using Limits = FormatLimits<T>;
  using Wide = WideTemperature<T>;
  // In double nothing is out of reach: its smallest temperature is also its smallest difference of logits. Beyond
  // 2^1100 rows are uniform to the last digit, below 2^-1100 only ties of the largest logit have weight.
  const Wide least = sizeof(T) == 4 ? 1 / static_cast<Wide>(limit) : static_cast<Wide>(0x1p-1100L);
  const Wide kept = std::clamp(temperature, least, 1 / least);
  const int exponent = std::clamp(-exponent_of(kept), Limits::smallest, Limits::largest);
  Scale<T> scale{};
  scale.unit = kept == 1;
  scale.down = static_cast<T>(power_of_two(std::min(exponent, 0)));
  scale.up = static_cast<T>(power_of_two(std::max(exponent, 0)));
  const Wide all_digits = kept * static_cast<Wide>(power_of_two(exponent));
  const double scaled = static_cast<double>(all_digits);
  scale.exact_temperature = scaled;
  scale.given = static_cast<double>(kept);
  scale.temperature = static_cast<T>(scaled);
  scale.rate = static_cast<T>(kLog2E / scaled);
  const double product = scaled * kLn2;
  if constexpr (sizeof(T) == 4) {  // the head has 14 bits, the tail 24: product has digits to spare
    scale.head = head_of(product);
    scale.tail = static_cast<float>(product - static_cast<double>(scale.head));
    scale.inverse = static_cast<T>(1 / scaled);
    scale.inverse_tail = static_cast<T>(1 / scaled - static_cast<double>(scale.inverse));
  } else {
    const double beyond = static_cast<double>(all_digits - static_cast<long double>(scaled));
    const double rest = std::fma(scaled, kLn2, -product) + (scaled * kLn2Rest + beyond * kLn2);
    constexpr std::uint64_t mask = ~((std::uint64_t{1} << Limits::head_cut) - 1);
    scale.head = std::bit_cast<double>(std::bit_cast<std::uint64_t>(product) & mask);
    scale.tail = (product - scale.head) + rest;
    scale.inverse = 1 / scaled;
    scale.inverse_tail = std::fma(-scaled, scale.inverse, 1.0) * scale.inverse;
  }
  scale.near = std::abs(exponent) <= Limits::near;
  if (scale.near) {
    const T given = static_cast<T>(power_of_two(-exponent)), inverse = static_cast<T>(power_of_two(exponent));
    scale.near_head = scale.head * given;
    scale.near_tail = scale.tail * given;
    scale.near_rate = scale.rate * inverse;
    scale.near_inverse = scale.inverse * inverse;
    scale.near_temperature = scale.temperature * given;
  }
  return scale;
}

template Scale<float> make_scale<float>(double, double);
template Scale<double> make_scale<double>(long double, double);

}  // namespace attncert
