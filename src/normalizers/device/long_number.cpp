#include "src/normalizers/device/long_number.hpp"

#include <utility>

namespace attncert {
namespace {

__extension__ using Double = unsigned __int128;

int bits_in(Double x) {
  int bits = 0;
  for (; x != 0; x >>= 1) ++bits;
  return bits;
}

}  // namespace

DeviceLong device_long(std::uint64_t numerator, std::uint64_t first, std::uint64_t second, int power) {
  Double rest = numerator, divisor = Double{first} * second;
  if (rest == 0) return {0, 0, 0, 0};
  const int up = bits_in(divisor) - bits_in(rest);
  if (up > 0) rest <<= up;
  else divisor <<= -up;
  power -= up;
  if (rest < divisor) rest <<= 1, --power;
  DeviceLong quotient{0, 0, 0, power - 191};
  for (std::uint64_t* word : {&quotient.high, &quotient.middle, &quotient.low}) {
    for (int bit = 0; bit < 64; ++bit, rest <<= 1) {  // rest < 2 divisor
      const bool more = rest >= divisor;
      if (more) rest -= divisor;
      *word = *word << 1 | (more ? 1 : 0);
    }
  }
  return quotient;
}

std::array<std::uint64_t, 3 * exponential_terms> exponential_series() {
  std::array<std::uint64_t, 3 * exponential_terms> series{std::uint64_t{1} << 63};
  for (std::size_t k = 1; k < exponential_terms; ++k) {
    Double rest = 0;
    for (std::size_t word = 0; word < 3; ++word) {
      rest = rest << 64 | series[3 * k - 3 + word];
      series[3 * k + word] = static_cast<std::uint64_t>(rest / (k + 1));
      rest %= k + 1;
    }
  }
  return series;
}

}  // namespace attncert
