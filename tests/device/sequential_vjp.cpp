// The derivatives of the softmax family, of sparsemax and relu-normalized: the formulas of their kernels in an
// arithmetic of its own (wide_numbers.hpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

struct Exponentials {
  wide::Temperature temperature;
  Number rate;
  std::int64_t sign;
  std::uint32_t zero, counted, k;
};

}  // namespace

std::vector<float> sequential_softmax_vjp(std::span<const float> row, std::span<const float> upstream,
                                          const DeviceProgram& program, bool) {
  const auto call = constants_of<Exponentials>(program);
  const bool top_k = program.options.find("-DTOP=1") != std::string::npos, log = program.kernel == "log_softmax_vjp";
  if (is_bad(row, upstream)) return std::vector<float>(row.size(), nan);
  std::vector<float> z = largest_kept(row, top_k ? call.k : row.size());
  for (float& x : z)
    if (x != -infinity) x = call.sign == 0 ? 0.0F : call.sign < 0 ? -x : x;
  const auto count = z.size() - static_cast<std::size_t>(std::count(z.begin(), z.end(), -infinity));
  if (count == 0) return std::vector<float>(row.size(), 0.0F);
  const float top = std::max(*std::max_element(z.begin(), z.end()), call.zero != 0 ? 0.0F : -infinity);
  const std::uint64_t factor = call.counted != 0 ? wide::log_of(count) : std::uint64_t{1} << 59;
  std::vector<Number> terms = wide::exponentials(z, top, call.temperature, factor), factors = terms;
  for (std::size_t i = 0; i < z.size() && log; ++i) factors[i] = wide::leading(z[i] == -infinity ? 0 : 1, 0);
  if (call.zero != 0) terms.push_back(wide::exponentials(std::array{0.0F}, top, call.temperature, factor)[0]);
  const Number inverse = wide::inverse_sum(terms);
  const Signed mean = wide::times(wide::sum_of_products(factors, upstream), inverse);
  const Number rate = call.counted != 0 ? wide::times(call.rate, wide::leading(factor, -59)) : call.rate;
  std::vector<float> result(row.size(), 0.0F);
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (z[i] == -infinity) continue;
    const Signed g = wide::signed_of(upstream[i]);
    Signed gradient = log ? wide::times(wide::difference(g, wide::times(mean, terms[i])), rate)
                          : wide::times(wide::difference(g, mean), wide::times(wide::times(terms[i], inverse), rate));
    if (call.sign < 0) gradient.negative = !gradient.negative;
    result[i] = wide::nearest(gradient);
  }
  return result;
}

namespace {

// slope (g_i - sum w_j g_j / sum w_j) where w is not 0.
std::vector<float> about_mean(const std::vector<Number>& terms, std::span<const float> upstream, Number slope,
                              int fraction) {
  const Signed mean = wide::times(wide::sum_of_products(terms, upstream, fraction), wide::inverse_sum(terms));
  std::vector<float> result(terms.size(), 0.0F);
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i].bits != 0)
      result[i] = wide::nearest(wide::times(wide::difference(wide::signed_of(upstream[i]), mean), slope));
  return result;
}

struct SparsemaxVjp {
  wide::Temperature temperature;
  Number rate;
};

// Whether each logit is in the support of sparsemax: in units of 2^-202, of which every logit and T is a multiple.
std::vector<bool> support_of(std::span<const float> row, const wide::Temperature& t) {
  const float top = *std::max_element(row.begin(), row.end());
  const Whole temperature = Whole(t.mantissa) << (t.exponent - 52 + 202);
  std::vector<Whole> distances;
  for (const float x : row)
    distances.push_back(x == -infinity ? temperature : Whole(wide::in_units(top, -26) - wide::in_units(x, -26)));
  std::vector<bool> inside(row.size(), true);
  Whole sum = temperature, divisor = 1;  // delta is their quotient
  for (std::size_t before = 0, count = row.size() + 1; count != before;) {
    Whole next = temperature;
    before = count, count = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      inside[i] = distances[i] * divisor < sum;
      if (inside[i]) next += distances[i], ++count;
    }
    sum = next, divisor = count;
  }
  return inside;
}

}  // namespace

std::vector<float> sequential_sparsemax_vjp(std::span<const float> row, std::span<const float> upstream,
                                            const DeviceProgram& program, bool) {
  const auto call = constants_of<SparsemaxVjp>(program);
  if (is_bad(row, upstream)) return std::vector<float>(row.size(), nan);
  if (*std::max_element(row.begin(), row.end()) == -infinity) return std::vector<float>(row.size(), 0.0F);
  std::vector<Number> terms;
  for (const bool inside : support_of(row, call.temperature)) terms.push_back(wide::leading(inside ? 1 : 0, 0));
  // The kernel's weight, 1, has its bits cut by a product with 1 / T.
  return about_mean(terms, upstream, wide::times(call.rate, wide::leading(1, 0)), 320);
}

std::vector<float> sequential_relu_normalized_vjp(std::span<const float> row, std::span<const float> upstream,
                                                  const DeviceProgram&, bool) {
  if (is_bad(row, upstream)) return std::vector<float>(row.size(), nan);
  const float largest = *std::max_element(row.begin(), row.end());
  if (!(largest > 0)) return std::vector<float>(row.size(), 0.0F);
  std::vector<Number> terms;
  for (const float x : row) {
    terms.push_back(x > 0 ? wide::size_of(x) : Number());
    terms.back().power -= std::ilogb(largest);
  }
  Number slope = wide::inverse_sum(terms);
  slope.power -= std::ilogb(largest);
  return about_mean(terms, upstream, slope, 176);
}

}  // namespace attncert
