// The constants of scale.hpp. ln2 and log2(e) are split into a double and the double of what remains (MPFR, 160 bits).
#include "src/normalizers/scale.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace attncert {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Rest = 0x1.abc9e3b39803fp-56;
constexpr double kLog2E = 0x1.71547652b82fep+0;

float head_of(double value) {
  constexpr std::uint32_t mask = ~((std::uint32_t{1} << FormatLimits<float>::head_cut) - 1);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) & mask);
}

}  // namespace

template <class T>
Scale<T> make_scale(long double temperature, double limit) {
  using Limits = FormatLimits<T>;
  // In double nothing is out of reach: its smallest temperature is also its smallest difference of logits. Beyond 2^1100
  // rows are uniform to the last digit, below 2^-1100 only ties of the largest logit have weight.
  const long double least = sizeof(T) == 4 ? 1 / static_cast<long double>(limit) : std::ldexp(1.0L, -1100);
  const long double kept = std::clamp(temperature, least, 1 / least);
  const int exponent = std::clamp(-std::ilogb(kept), Limits::smallest, Limits::largest);
  Scale<T> scale{};
  scale.unit = kept == 1;
  scale.down = static_cast<T>(std::ldexp(1.0, std::min(exponent, 0)));
  scale.up = static_cast<T>(std::ldexp(1.0, std::max(exponent, 0)));
  const long double all_digits = std::ldexp(kept, exponent);
  const double scaled = static_cast<double>(all_digits);
  scale.exact_temperature = scaled;
  scale.given = static_cast<double>(kept);
  scale.temperature = static_cast<T>(scaled);
  scale.rate = static_cast<T>(kLog2E / scaled);
  const double product = scaled * kLn2;
  const double beyond = static_cast<double>(all_digits - static_cast<long double>(scaled));
  const double rest = std::fma(scaled, kLn2, -product) + (scaled * kLn2Rest + beyond * kLn2);
  if constexpr (sizeof(T) == 4) {
    scale.head = head_of(product);
    scale.inverse = static_cast<T>(1 / scaled);
    scale.inverse_tail = static_cast<T>(1 / scaled - static_cast<double>(scale.inverse));
  } else {
    constexpr std::uint64_t mask = ~((std::uint64_t{1} << Limits::head_cut) - 1);
    scale.head = std::bit_cast<double>(std::bit_cast<std::uint64_t>(product) & mask);
    scale.inverse = 1 / scaled;
    scale.inverse_tail = std::fma(-scaled, scale.inverse, 1.0) * scale.inverse;
  }
  scale.tail = static_cast<T>((product - static_cast<double>(scale.head)) + rest);
  // A tail that is only what a temperature's last digit left (ssmax at n = 2^k: ln2 / log n = 1 / k) counts for nothing, but its
  // square would be subnormal, and each such product an assist of the processor.
  if (sizeof(T) == 4 && std::abs(scale.tail) < std::ldexp(scale.head, -58)) scale.tail = 0;
  scale.near = std::abs(exponent) <= Limits::near;
  if (scale.near) {
    scale.near_head = std::ldexp(scale.head, -exponent);
    scale.near_tail = std::ldexp(scale.tail, -exponent);
    scale.near_rate = std::ldexp(scale.rate, exponent);
    scale.near_inverse = std::ldexp(scale.inverse, exponent);
    scale.near_temperature = std::ldexp(scale.temperature, -exponent);
  }
  return scale;
}

template Scale<float> make_scale<float>(long double, double);
template Scale<double> make_scale<double>(long double, double);

}  // namespace attncert
