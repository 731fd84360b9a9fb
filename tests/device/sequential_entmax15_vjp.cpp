// The derivative of 1.5-entmax: the formulas of its kernel in an arithmetic of its own (wide_numbers.hpp), the support
// from whole numbers alone.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>

#include "tests/device/sequential.hpp"
#include "tests/device/wide_numbers.hpp"
#include "tests/device/wide_signed.hpp"
#include "tests/device/wide_terms.hpp"

namespace attncert {
namespace {

using wide::Number;
using wide::Signed;
using wide::Whole;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct Entmax15Vjp {
  wide::Temperature temperature;
  Number rate;
};

Number plus(Number a, Number b) { return wide::difference({a, false}, {b, true}).size; }

// By the steps of the kernel: the float that it begins with, and two in numbers.
Number root(Number a) {
  const bool odd = a.power % 2 != 0;
  const float r = std::ldexp(static_cast<float>(a.bits >> 40), odd ? -25 : -24);
  float y = std::bit_cast<float>(0x5f3759dfU - (std::bit_cast<std::uint32_t>(r) >> 1));
  for (int step = 0; step < 3; ++step) y = y * std::fma(-0.5F * r * y, y, 1.5F);
  const int half = (a.power + (odd ? 1 : 0)) / 2;  // exact
  Number value = wide::leading(static_cast<std::int64_t>(r * y * 0x1p62F), half - 30);
  for (int step = 0; step < 2; ++step) {
    value = plus(value, wide::times(a, wide::inverse(value)));
    value.power -= 1;
  }
  return value;
}

// In units of 2^-202, of which every logit and T is a multiple: 4 T^2 less the squares of the logits from r on.
Whole left_of(std::span<const float> row, float r, const wide::Temperature& t) {
  const Whole temperature = Whole(t.mantissa) << (t.exponent - 52 + 202);
  Whole left = 4 * temperature * temperature;
  for (const float z : row) {
    if (!(z >= r)) continue;
    const Whole distance = wide::in_units(z, -26) - wide::in_units(r, -26);
    left -= distance * distance;
  }
  return left;
}

// What a logit is above the threshold in units of 2^e, from the lowest one of the support on.
struct Support {
  float lowest;
  Number gap;
};
Support support_of(std::span<const float> row, const wide::Temperature& t) {
  std::vector<float> falling(row.begin(), row.end());
  std::erase(falling, -infinity);
  std::sort(falling.begin(), falling.end(), std::greater<>());
  const auto inside = [&](float z) { return left_of(row, z, t) > 0; };  // of the largest, and then of some more
  Support support{*std::prev(std::partition_point(falling.begin(), falling.end(), inside)), {}};
  Whole sum = 0, count = 0;
  for (const float z : row) {
    if (!(z >= support.lowest)) continue;
    sum += wide::in_units(z, t.exponent) - wide::in_units(support.lowest, t.exponent);
    ++count;
  }
  const Number total = wide::leading(sum, -176);
  const Number left = wide::leading(left_of(row, support.lowest, t), -404 - 2 * t.exponent);
  const Number square = plus(wide::times(total, total), wide::times(left, wide::leading(count, 0)));
  support.gap = wide::times(left, wide::inverse(plus(total, root(square))));
  return support;
}

}  // namespace

std::vector<float> sequential_entmax15_vjp(std::span<const float> row, std::span<const float> upstream,
                                           const DeviceProgram& program, bool) {
  const auto call = constants_of<Entmax15Vjp>(program);
  const wide::Temperature& t = call.temperature;
  if (is_bad(row, upstream)) return std::vector<float>(row.size(), nan);
  if (*std::max_element(row.begin(), row.end()) == -infinity) return std::vector<float>(row.size(), 0.0F);
  const Support support = support_of(row, t);
  std::vector<Number> terms;
  for (const float z : row) {
    Number distance =
        z >= support.lowest ? wide::difference(wide::signed_of(z), wide::signed_of(support.lowest)).size : Number();
    distance.power -= t.exponent;
    const Number term = wide::times(plus(distance, support.gap), wide::leading(t.inverse, -64));
    terms.push_back(z >= support.lowest ? term : Number());
  }
  const Signed mean = wide::times(wide::sum_of_products(terms, upstream), wide::inverse_sum(terms));
  std::vector<float> gradients(row.size(), 0.0F);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (terms[i].bits == 0) continue;
    const Signed about = wide::difference(wide::signed_of(upstream[i]), mean);
    gradients[i] = wide::nearest(wide::times(about, wide::times(terms[i], call.rate)));
  }
  return gradients;
}

}  // namespace attncert
