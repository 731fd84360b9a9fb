// ssmax, self-adjusted softmax, sigmoid and sigmoid-normalized with their derivatives: the formulas of their kernels in
// an arithmetic of its own (wide_numbers.hpp).
#include <algorithm>
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
using wide::Temperature;
using wide::Whole;

constexpr float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> shares(const std::vector<Number>& terms) {
  const Number inverse = wide::inverse_sum(terms);
  std::vector<float> weights;
  for (const Number& term : terms) weights.push_back(wide::nearest(wide::times(term, inverse)));
  return weights;
}

struct Ssmax {
  Temperature temperature;
  std::int64_t sign;
};
struct Sigmoid {
  Temperature temperature;
  float left, right;
  Number rate;
};
struct BiasedArgument {
  Temperature temperature;
  std::int64_t centre[5];
  float low, high;
};
struct SigmoidVjp {
  BiasedArgument argument;
  Number rate;
};
struct SelfAdjusted {
  Temperature temperature;
  Number inverse;
  std::int64_t variant;
};

}  // namespace

std::vector<float> sequential_ssmax(std::span<const float> row, std::span<const float>, const DeviceProgram& program,
                                    bool) {
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
  return shares(wide::exponentials(z, top == infinity ? 0.0F : top, call.temperature, wide::log_of(count)));
}

std::vector<float> sequential_sigmoid_normalized(std::span<const float> row, std::span<const float> upstream,
                                                 const DeviceProgram& program, bool) {
  const auto call = constants_of<Sigmoid>(program);
  const Temperature& t = call.temperature;
  const bool derivative = program.kernel == "sigmoid_normalized_vjp";
  if (derivative ? is_bad(row, upstream) : has_nan(row)) return std::vector<float>(row.size(), nan);
  const float top = *std::max_element(row.begin(), row.end()), bar = std::max(std::min(top, 0.0F) - t.reach, -most);
  if (top == -infinity) return std::vector<float>(row.size(), 0.0F);
  const std::uint64_t centre = derivative ? 512 : 128;
  const bool alone = top < call.left;
  std::vector<Number> terms = wide::exponentials(row, top, t), slopes = terms;
  for (std::size_t i = 0; i < row.size() && !alone; ++i) {
    terms[i] = slopes[i] = Number();
    if (!(row[i] >= bar)) continue;
    if (row[i] > call.right) {
      terms[i] = wide::leading(1, 0);
      continue;
    }
    const Whole from = (Whole(t.mantissa) << 124) * centre;
    const std::uint64_t depth = wide::depth(from - wide::in_units(row[i], t.exponent), t);
    terms[i] = wide::sigma(depth, centre), slopes[i] = wide::slope_of_sigma(depth, centre);
  }
  if (!derivative) return shares(terms);
  const Number inverse = wide::inverse_sum(terms);
  const Signed mean = wide::times(wide::sum_of_products(terms, upstream), inverse);
  std::vector<float> gradients(row.size(), 0.0F);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == -infinity) continue;
    const Number slope = wide::times(wide::times(slopes[i], inverse), call.rate);
    gradients[i] = wide::nearest(wide::times(wide::difference(wide::signed_of(upstream[i]), mean), slope));
  }
  return gradients;
}

std::vector<float> sequential_sigmoid(std::span<const float> row, std::span<const float> upstream,
                                      const DeviceProgram& program, bool) {
  const bool derivative = program.kernel == "sigmoid_vjp";
  const auto [argument, rate] =
      derivative ? constants_of<SigmoidVjp>(program) : SigmoidVjp{constants_of<BiasedArgument>(program), {}};
  if (derivative ? is_bad(row, upstream) : has_nan(row)) return std::vector<float>(row.size(), nan);
  Whole centre = 0;
  for (int j = 5; j-- > 0;) centre = (centre << 40) + argument.centre[j];
  const Temperature& t = argument.temperature;
  std::vector<float> results;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const float z = row[i];
    if (!(z >= argument.low && z <= argument.high)) {
      results.push_back(z > argument.high && !derivative ? 1.0F : 0.0F);
      continue;
    }
    Whole d = (centre - wide::in_units(z, t.exponent + 56)) % (Whole(1) << 200);  // in units of 2^-120 of T's power
    if (d < 0) d += Whole(1) << 200;
    const std::uint64_t depth = wide::depth(d << 56, t);
    if (derivative) {
      const Number slope = wide::times(wide::slope_of_sigma(depth, 1024), rate);
      results.push_back(wide::nearest(wide::times(wide::signed_of(upstream[i]), slope)));
    } else {
      results.push_back(wide::nearest(wide::sigma(depth)));
    }
  }
  return results;
}

std::vector<float> sequential_self_adjusted(std::span<const float> row, std::span<const float>,
                                            const DeviceProgram& program, bool) {
  const auto call = constants_of<SelfAdjusted>(program);
  const std::int64_t variant = call.variant;
  float high = *std::max_element(row.begin(), row.end()), low = infinity;
  if (has_nan(row) || high == infinity) return std::vector<float>(row.size(), nan);
  if (high == -infinity) return std::vector<float>(row.size(), 0.0F);
  const std::vector<Number> terms = wide::exponentials(row, high, call.temperature);
  const Number inverse = wide::inverse_sum(terms);
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
