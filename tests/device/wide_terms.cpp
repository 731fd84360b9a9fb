#include "tests/device/wide_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attncert::wide {
namespace {

constexpr float most = std::numeric_limits<float>::max();

Number decay_at(std::uint64_t depth, std::uint64_t centre) {
  const std::uint64_t middle = centre << 53;
  return decay(depth > middle ? depth - middle : middle - depth);
}

}  // namespace

Number sigma(std::uint64_t depth, std::uint64_t centre) {
  const Number e = decay_at(depth, centre), part = inverse(one_more(e));
  return depth > centre << 53 ? times(e, part) : part;
}

Number slope_of_sigma(std::uint64_t depth, std::uint64_t centre) {
  const Number e = decay_at(depth, centre), part = inverse(one_more(e));
  return times(times(e, part), part);
}

Number inverse_sum(const std::vector<Number>& terms) {
  Whole sum = 0;
  for (const Number& term : terms) {
    const int up = term.power + 176;
    if (term.bits != 0) sum += up >= 0 ? Whole(Whole(term.bits) << up) : Whole(Whole(term.bits) >> -up);
  }
  return inverse(leading(sum, -176));
}

std::vector<Number> exponentials(std::span<const float> row, float top, const Temperature& t, std::uint64_t factor) {
  const float bar = std::max(top - t.reach, -most);
  std::vector<Number> terms;
  for (const float z : row) terms.push_back(z >= bar ? decay(depth(below(top, z, t.exponent), t, factor)) : Number());
  return terms;
}

std::uint64_t log_of(std::size_t n) {
  int j = 0;
  for (; n >> (j + 1) != 0;) ++j;
  const auto whole = static_cast<float>(n);
  const float power = std::ldexp(1.0F, j), half = 0.5F * (whole * std::ldexp(1.0F, -j) + 1);
  float r = std::fma(-8.0F / 17, half, 24.0F / 17);
  for (int step = 0; step < 3; ++step) r = std::fma(r, std::fma(-half, r, 1.0F), r);
  const float s = (whole - power) * (r * (0.5F * std::ldexp(1.0F, -j))), s2 = s * s;
  float q = 1.0F / 9;
  for (const int k : {7, 5, 3, 1}) q = std::fma(q, s2, 1 / static_cast<float>(k));
  const float rough = std::fma(2 * s, q, static_cast<float>(j) * 0x1.62e43p-1F);
  const auto y = static_cast<std::int64_t>(rough * 0x1p53F);
  const Number e = decay(static_cast<std::uint64_t>(y));
  const std::uint64_t product = upper(e.bits, std::uint64_t{n} << (63 - j));  // 2^(65 + j + e.power)
  const std::int64_t x = static_cast<std::int64_t>(product >> -(60 + j + e.power)) - (std::int64_t{1} << 59);
  return static_cast<std::uint64_t>(y * 64 + x - ((x >> 10) * (x >> 10) >> 40));
}

}  // namespace attncert::wide
