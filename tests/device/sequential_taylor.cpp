// taylor-softmax and its derivative: the formulas of their kernels in an arithmetic of its own (wide_numbers.hpp).
#include <algorithm>
#include <cmath>
#include <cstddef>
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

// What both have: 1 / T, two numbers of pairs, and pairs.
struct Call {
  Number rate;
  std::uint32_t pairs, more;
  std::uint64_t roots[94];
};
struct Derivative {
  Call taylor;
  Number root, sizes[2];
  float beside[2];
};

Number product(const std::uint64_t* roots, std::size_t pairs, Signed x) {
  Number all = wide::leading(1, 0);
  for (std::size_t k = 0; k < pairs; ++k) {
    const std::uint64_t a = roots[2 * k], size = a & ~(std::uint64_t{1} << 63);
    const Signed distance = wide::difference(x, {wide::leading(size, -57), a != size});
    const Number square = wide::times(distance.size, distance.size);
    all = wide::times(all, wide::difference({square, false}, {wide::leading(roots[2 * k + 1], -54), true}).size);
  }
  return all;
}

// n! F_n of each logit, over a power of two above the largest of them, -infinity where it is absent.
struct Terms {
  std::vector<Number> values;
  int exponent = -1 << 20;
};
Terms terms_of(std::span<const float> row, const Call& call) {
  const bool infinite = *std::max_element(row.begin(), row.end()) == infinity;
  Terms terms;
  for (const float z : row) {
    const bool absent = infinite ? z != infinity : z == -infinity;
    const Signed x = infinite || absent ? Signed() : wide::times(wide::signed_of(z), call.rate);
    terms.values.push_back(absent ? Number() : product(call.roots, call.pairs, x));
    if (!absent) terms.exponent = std::max(terms.exponent, terms.values.back().power + 64);
  }
  for (Number& value : terms.values) value.power -= terms.exponent;
  return terms;
}

Signed slope_at(float z, const Derivative& call, int exponent) {
  const Call& taylor = call.taylor;
  const Signed x = wide::times(wide::signed_of(z), taylor.rate), distance = wide::difference(x, {call.root, true});
  const Number order = wide::leading(2 * taylor.pairs, 0);
  Signed slope = wide::times(distance, order);
  slope = wide::times(slope, product(taylor.roots + 2 * taylor.pairs, taylor.more, x));
  for (const std::size_t side : {0u, 1u})
    if (z == call.beside[side]) slope = {call.sizes[side], side == 0};
  slope.size.power -= exponent;
  return slope;
}

}  // namespace

std::vector<float> sequential_taylor_softmax(std::span<const float> row, std::span<const float>,
                                             const DeviceProgram& program, bool) {
  Call call{};
  std::memcpy(&call, program.constants.bytes().data(), program.constants.bytes().size());
  if (has_nan(row)) return std::vector<float>(row.size(), nan);
  const Terms terms = terms_of(row, call);
  const Number inverse = wide::inverse_sum(terms.values);
  std::vector<float> weights;
  for (const Number& term : terms.values) weights.push_back(wide::nearest(wide::times(term, inverse)));
  return weights;
}

std::vector<float> sequential_taylor_softmax_vjp(std::span<const float> row, std::span<const float> upstream,
                                                 const DeviceProgram& program, bool) {
  const auto call = constants_of<Derivative>(program);
  if (is_bad(row, upstream)) return std::vector<float>(row.size(), nan);
  const Terms terms = terms_of(row, call.taylor);
  const Number inverse = wide::inverse_sum(terms.values);
  const Signed mean = wide::times(wide::sum_of_products(terms.values, upstream), inverse);
  std::vector<float> gradients(row.size(), 0.0F);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == -infinity) continue;
    const Signed slope = slope_at(row[i], call, terms.exponent);
    const Number size = wide::times(wide::times(slope.size, inverse), call.taylor.rate);
    Signed gradient = wide::times(wide::difference(wide::signed_of(upstream[i]), mean), size);
    gradient.negative = gradient.negative != slope.negative;
    gradients[i] = wide::nearest(gradient);
  }
  return gradients;
}

}  // namespace attncert
