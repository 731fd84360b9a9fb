#include "tests/device/wide_numbers.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace attncert::wide {
namespace {

__extension__ using Double = unsigned __int128;

Number normal(Double value, int power) {
  if (value == 0) return {};
  for (; value >> 64 != 0; ++power) value >>= 1;
  for (; value >> 63 == 0; --power) value <<= 1;
  return {static_cast<std::uint64_t>(value), power};
}

// ln2 = the sum of 1 / (k 2^k), in units of 2^-240.
Whole ln2() {
  Whole sum = 0;
  for (unsigned k = 1; k <= 240; ++k) sum += (Whole(1) << (240 - k)) / k;
  return sum;
}

// ln2^k / k! in units of 2^-62, to nearest.
std::array<std::uint64_t, 15> coefficients() {
  std::array<std::uint64_t, 15> all{};
  Whole power = Whole(1) << 240;
  for (unsigned k = 0; k < all.size(); ++k) {
    all[k] = static_cast<std::uint64_t>((power + (Whole(1) << 177)) >> 178);
    power = (power * ln2() >> 240) / (k + 1);
  }
  return all;
}

}  // namespace

std::uint64_t upper(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<Double>(a) * b >> 64);
}

Number leading(const Whole& value, int unit) {
  if (value == 0) return {};
  const int up = 63 - static_cast<int>(msb(value));
  const Whole moved = up >= 0 ? Whole(value << up) : Whole(value >> -up);
  return {static_cast<std::uint64_t>(moved), unit - up};
}

Number times(Number a, Number b) { return normal(upper(a.bits, b.bits), a.power + b.power + 64); }

std::uint64_t inverse_word(std::uint64_t bits) {
  const auto s = static_cast<float>(bits >> 40) * 0x1p-23F, rest = static_cast<float>(bits >> 16 & 0xffffff) * 0x1p-47F;
  float r = std::fma(-8.0F / 17, s, 24.0F / 17);
  for (int step = 0; step < 3; ++step) r = std::fma(r, std::fma(-s, r, 1.0F), r);
  const float left = std::fma(-rest, r, std::fma(-s, r, 1.0F));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(r * 0x1p62F) +
                                    static_cast<std::int64_t>(left * r * 0x1p62F))
         << 1;
}

Number inverse(Number x) {
  const Double v = inverse_word(x.bits);
  const std::int64_t missing = (std::int64_t{1} << 62) - static_cast<std::int64_t>(v * x.bits >> 64);
  const std::int64_t more = static_cast<std::int64_t>(v >> 32) * missing >> 30;
  return normal(v + static_cast<Double>(more), -126 - x.power);
}

Number one_more(Number x) {
  const Whole units = x.bits == 0 ? Whole(0) : Whole(x.bits) >> static_cast<unsigned>(-62 - x.power);
  return leading((Whole(1) << 62) + units, -62);
}

Number decay(std::uint64_t q) {
  static const Whole log2_e = (Whole(1) << 303) / ln2();  // in units of 2^-63
  static const std::array<std::uint64_t, 15> coefficient = coefficients();
  const Whole t = Whole(q) * log2_e >> 64;  // in units of 2^-52
  const Whole n = (t + (Whole(1) << 52) - 1) >> 52;
  const auto g = static_cast<std::uint64_t>(((n << 52) - t) << 12);
  std::uint64_t sum = 0;
  for (std::size_t k = coefficient.size(); k-- > 0;) sum = coefficient[k] + upper(sum, g);
  return normal(sum, -62 - static_cast<int>(n));
}

float nearest(Number n) { return static_cast<float>(std::ldexp(static_cast<long double>(n.bits), n.power)); }

Whole in_units(float x, int exponent) {
  int power = 0;
  const Whole m(static_cast<long long>(std::ldexp(std::frexp(std::abs(x), &power), 24)));
  const int up = power - 24 - exponent + 176;
  const Whole size = up >= 0 ? Whole(m << up) : Whole(m >> -up);
  return std::signbit(x) ? Whole(-size) : size;
}

Whole below(float top, float x, int exponent) {
  const Whole whole = Whole(1) << 200, d = (in_units(top, exponent) - in_units(x, exponent)) % whole;
  return d < 0 ? Whole(d + whole) : d;
}

std::uint64_t depth(const Whole& d, const Temperature& t, std::uint64_t factor) {
  const Number l = leading(d, 0);
  constexpr std::uint64_t farthest = std::numeric_limits<std::uint64_t>::max();
  if (l.power > 124) return farthest;
  const Whole part = upper(upper(l.bits, t.inverse), factor);
  const Whole moved = l.power <= 117 ? Whole(part >> static_cast<unsigned>(117 - l.power))
                                     : Whole(part << static_cast<unsigned>(l.power - 117));
  return moved > farthest ? farthest : static_cast<std::uint64_t>(moved);
}

}  // namespace attncert::wide
