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
Scale<T> make_scale(double temperature, double limit) {
  using Limits = FormatLimits<T>;
  // In double nothing is out of reach: its smallest temperature is also its smallest difference of logits.
  const double kept = sizeof(T) == 4 ? std::clamp(temperature, 1 / limit, limit) : temperature;
  const int exponent = std::clamp(-std::ilogb(kept), Limits::smallest, Limits::largest);
  Scale<T> scale{};
  scale.unit = kept == 1;
  scale.down = static_cast<T>(std::ldexp(1.0, std::min(exponent, 0)));
  scale.up = static_cast<T>(std::ldexp(1.0, std::max(exponent, 0)));
  const double scaled = std::ldexp(kept, exponent);
  scale.exact_temperature = scaled;
  scale.given = kept;
  scale.temperature = static_cast<T>(scaled);
  scale.rate = static_cast<T>(kLog2E / scaled);
  const double product = scaled * kLn2;
  const double rest = std::fma(scaled, kLn2, -product) + scaled * kLn2Rest;
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
  return scale;
}

template Scale<float> make_scale<float>(double, double);
template Scale<double> make_scale<double>(double, double);

}  // namespace attncert
