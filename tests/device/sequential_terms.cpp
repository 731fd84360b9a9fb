// ssmax, sigmoid, sigmoid-normalized and self-adjusted softmax: the formulas of their kernels in an arithmetic of its
// own (wide_numbers.hpp).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/device/sequential.hpp"
#include "tests/device/wide_numbers.hpp"

namespace attncert {
namespace {

using wide::Number;
using wide::Temperature;
using wide::Whole;

constexpr float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// sigma(128 - depth).
Number sigma(std::uint64_t depth) {
  constexpr std::uint64_t centre = std::uint64_t{128} << 53;
  const Number e = wide::decay(depth > centre ? depth - centre : centre - depth);
  const Number part = wide::inverse(wide::one_more(e));
  return depth > centre ? wide::times(e, part) : part;
}

// 1 / the sum of terms, each cut off to units of 2^-176.
Number inverse_sum(const std::vector<Number>& terms) {
  Whole sum = 0;
  for (const Number& term : terms) {
    const int up = term.power + 176;
    if (term.bits != 0) sum += up >= 0 ? Whole(Whole(term.bits) << up) : Whole(Whole(term.bits) >> -up);
  }
  return wide::inverse(wide::leading(sum, -176));
}

std::vector<float> shares(const std::vector<Number>& terms) {
  const Number inverse = inverse_sum(terms);
  std::vector<float> weights;
  for (const Number& term : terms) weights.push_back(wide::nearest(wide::times(term, inverse)));
  return weights;
}

// exp((z - top) factor / T) of those within reach.
std::vector<Number> exponentials(std::span<const float> row, float top, const Temperature& t,
                                 std::uint64_t factor = std::uint64_t{1} << 59) {
  const float bar = std::max(top - t.reach, -most);
  std::vector<Number> terms;
  for (const float z : row)
    terms.push_back(z >= bar ? wide::decay(wide::depth(wide::below(top, z, t.exponent), t, factor)) : Number());
  return terms;
}

// log n in units of 2^-59, as the kernel comes to it.
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
  const Number e = wide::decay(static_cast<std::uint64_t>(y));
  const std::uint64_t product = wide::upper(e.bits, std::uint64_t{n} << (63 - j));  // 2^(65 + j + e.power)
  const std::int64_t x = static_cast<std::int64_t>(product >> -(60 + j + e.power)) - (std::int64_t{1} << 59);
  return static_cast<std::uint64_t>(y * 64 + x - ((x >> 10) * (x >> 10) >> 40));
}

struct Ssmax {
  Temperature temperature;
  std::int64_t sign;
};
struct Sigmoid {
  Temperature temperature;
  float left, right;
};
struct BiasedSigmoid {
  Temperature temperature;
  std::int64_t centre[5];
  float low, high;
};
struct SelfAdjusted {
  Temperature temperature;
  Number inverse;
};

}  // namespace

std::vector<float> sequential_ssmax(std::span<const float> row, const DeviceProgram& program, bool) {
  const auto call = constants_of<Ssmax>(program);
  std::vector<float> z(row.begin(), row.end());
  const bool bad = has_nan(row) || (call.sign < 0 && std::count(z.begin(), z.end(), infinity) > 0);
  if (bad) return std::vector<float>(row.size(), nan);
  for (float& x : z)
    if (x != -infinity) x = call.sign == 0 ? 0.0F : call.sign < 0 ? -x : x;
  const auto count = z.size() - static_cast<std::size_t>(std::count(z.begin(), z.end(), -infinity));
  if (count == 0) return std::vector<float>(row.size(), 0.0F);
  const float top = *std::max_element(z.begin(), z.end());
  for (float& x : z)
    if (top == infinity) x = x == infinity ? 0.0F : -infinity;
  return shares(exponentials(z, top == infinity ? 0.0F : top, call.temperature, log_of(count)));
}

std::vector<float> sequential_sigmoid_normalized(std::span<const float> row, const DeviceProgram& program, bool) {
  const auto call = constants_of<Sigmoid>(program);
  const Temperature& t = call.temperature;
  if (has_nan(row)) return std::vector<float>(row.size(), nan);
  const float top = *std::max_element(row.begin(), row.end());
  if (top == -infinity) return std::vector<float>(row.size(), 0.0F);
  if (top < call.left) return shares(exponentials(row, top, t));
  const Whole from = (Whole(t.mantissa) << 124) << 7;  // 128 T
  const float bar = std::max(std::min(top, 0.0F) - t.reach, -most);
  std::vector<Number> terms;
  for (const float z : row) {
    if (!(z >= bar)) {
      terms.emplace_back();
    } else if (z > call.right) {
      terms.push_back(wide::leading(1, 0));
    } else {
      terms.push_back(sigma(wide::depth(from - wide::in_units(z, t.exponent), t)));
    }
  }
  return shares(terms);
}

std::vector<float> sequential_sigmoid(std::span<const float> row, const DeviceProgram& program, bool) {
  const auto call = constants_of<BiasedSigmoid>(program);
  if (has_nan(row)) return std::vector<float>(row.size(), nan);
  Whole centre = 0;
  for (int j = 5; j-- > 0;) centre = (centre << 40) + call.centre[j];
  const Temperature& t = call.temperature;
  std::vector<float> weights;
  for (const float z : row) {
    if (z < call.low || z > call.high) {
      weights.push_back(z < call.low ? 0.0F : 1.0F);
      continue;
    }
    Whole d = (centre - wide::in_units(z, t.exponent + 56)) % (Whole(1) << 200);  // in units of 2^-120 of T's power
    if (d < 0) d += Whole(1) << 200;
    weights.push_back(wide::nearest(sigma(wide::depth(d << 56, t))));
  }
  return weights;
}

std::vector<float> sequential_self_adjusted(std::span<const float> row, const DeviceProgram& program, bool) {
  const auto call = constants_of<SelfAdjusted>(program);
  const int variant = program.options.at(program.options.find("VARIANT=") + 8) - '0';
  float high = *std::max_element(row.begin(), row.end()), low = infinity;
  if (has_nan(row) || high == infinity) return std::vector<float>(row.size(), nan);
  if (high == -infinity) return std::vector<float>(row.size(), 0.0F);
  const std::vector<Number> terms = exponentials(row, high, call.temperature);
  const Number inverse = inverse_sum(terms);
  for (const float z : row) low = z == -infinity ? low : std::min(low, z);
  if (variant == 0) low = 0;
  if (variant == 3) low = std::min(low, 0.0F), high = std::max(high, 0.0F);
  const float widest = std::max({std::abs(low), std::abs(high)});
  const int exponent = widest > 0 ? std::ilogb(widest) : 0;
  const auto distance = [&](float z) {
    return wide::leading(wide::in_units(z, exponent) - wide::in_units(low, exponent), exponent - 176);
  };
  const Number range = variant < 2 ? Number() : distance(high);
  const Number over = variant < 2 ? call.inverse : wide::inverse(range);
  std::vector<float> weights;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool weighs = terms[i].bits != 0 && (variant < 2 || range.bits != 0);
    const Number d = !weighs        ? Number()
                     : variant == 0 ? wide::leading(abs(wide::in_units(row[i], -200)), -376)
                                    : distance(row[i]);
    const Number p = wide::times(wide::times(terms[i], inverse), over);
    const float size = wide::nearest(wide::times(p, d));
    weights.push_back(variant == 0 && row[i] < 0 && weighs ? -size : size);
  }
  return weights;
}

}  // namespace attncert
