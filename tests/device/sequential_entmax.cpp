// alpha-entmax and its derivative: what the kernels come to, from its definition in floating point of 128 bits. Nothing
// here is as the kernels have it but the constants of a call; weights are those of the kernels where both are nearer to
// the exact ones than these to a midpoint of floats.
#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "tests/device/sequential.hpp"
#include "tests/device/wide_numbers.hpp"

namespace attncert {
namespace {

using Big = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<128, boost::multiprecision::digit_base_2, void, std::int64_t>,
    boost::multiprecision::et_off>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// The constants of entmax_threshold.cl and entmax_vjp.cl.
struct Long {
  std::uint64_t high, middle, low;
  std::int64_t power;
};
struct Constants {
  Long rate, exponent;
  std::uint64_t series[51];
  float reach;
  std::uint32_t bits;
};
struct ConstantsOfVjp {
  Constants entmax;
  Long over;
  wide::Number inverse;
  float rounded_over;
  std::uint32_t rises;
};

Big big(const Long& n) {
  const Big words = ldexp(Big(n.high), 128) + ldexp(Big(n.middle), 64) + Big(n.low);
  return ldexp(words, static_cast<int>(n.power));
}
float rounded(const Big& x) {
  if (x == 0) return 0;
  int exponent = 0;
  const Big fraction = frexp(Big(abs(x)), &exponent);
  const wide::Number n{static_cast<std::uint64_t>(Big(ldexp(fraction, 64))), exponent - 64};
  return x < 0 ? -wide::nearest(n) : wide::nearest(n);
}

// The heights w of a row above the threshold, 0 or less off the support.
class Heights {
 public:
  Heights(std::span<const float> row, const Constants& call) : rate_(big(call.rate)), exponent_(big(call.exponent)) {
    for (const float z : row)
      if (z != -infinity) logits_.push_back(z);
    std::sort(logits_.begin(), logits_.end(), std::greater<>());
    const auto inside = [&](float z) { return below_one(z); };  // of the largest, and then of some more
    lowest_ = *std::prev(std::partition_point(logits_.begin(), logits_.end(), inside));
    logits_.erase(std::upper_bound(logits_.begin(), logits_.end(), lowest_, std::greater<>()), logits_.end());
    gap_ = solved();
  }
  bool has(float z) const { return z >= lowest_; }
  Big operator()(float z) const { return rate_ * (Big(z) - Big(lowest_)) + gap_; }
  const Big& exponent() const { return exponent_; }

 private:
  // Of the powers of the logits from r on, and of those times b over the height.
  Big sum_of(float r, const Big& gap, Big* slope) const {
    Big total = 0;
    for (const float z : logits_) {
      if (z < r || total > 2 * Big(logits_.size())) break;
      const Big height = rate_ * (Big(z) - Big(r)) + gap;
      if (!(height > 0)) continue;
      const Big power = pow(height, exponent_);
      total += power;
      if (slope != nullptr) *slope += exponent_ * power / height;
    }
    return total;
  }
  // The first from the logarithm of the gap, which may leave the range of a long double.
  long double rough_sum(float r, long double log2_gap) const {
    const auto rate = static_cast<long double>(rate_), exponent = static_cast<long double>(exponent_);
    long double total = 0;
    for (const float z : logits_) {
      if (z < r || total > 2 * static_cast<long double>(logits_.size())) break;
      const long double above = rate * (static_cast<long double>(z) - static_cast<long double>(r));
      total += std::exp2(exponent * (z == r ? log2_gap : std::log2(above + std::exp2(log2_gap))));
    }
    return total;
  }
  bool below_one(float r) const {
    const long double rough = rough_sum(r, -std::numeric_limits<long double>::infinity());
    return std::abs(rough - 1) > 0x1p-30L ? rough < 1 : sum_of(r, 0, nullptr) < 1;
  }
  // By halving the range of the gap's logarithm (as many as 2^31 logits leave 2^-187 of 1: docs/budgets.md), then by
  // Newton's steps.
  Big solved() const {
    long double low = -200 * std::max(1.0L, 1 / static_cast<long double>(exponent_)) - 100, high = 0;
    for (int step = 0; step < 64; ++step) {
      const long double middle = (low + high) / 2;
      (rough_sum(lowest_, middle) > 1 ? high : low) = middle;
    }
    const long double whole = std::floor(high);
    Big gap = ldexp(Big(std::exp2(high - whole)), static_cast<int>(whole)), change = gap;
    for (int step = 0; step < 20 && abs(change) > ldexp(gap, -100); ++step) {
      Big slope = 0;
      change = (sum_of(lowest_, gap, &slope) - 1) / slope;
      gap -= change;
    }
    return gap;
  }

  Big rate_, exponent_, gap_;
  std::vector<float> logits_;  // those that count, falling
  float lowest_;
};

}  // namespace

std::vector<float> sequential_entmax(std::span<const float> row, std::span<const float> upstream,
                                     const DeviceProgram& program, bool held) {
  if (program.kernel == "entmax15") return sequential_entmax15(row, upstream, program, held);
  std::vector<float> weights(row.begin(), row.end());
  if (has_nan(row)) return std::vector<float>(row.size(), nan);
  const float largest = *std::max_element(row.begin(), row.end());
  if (largest == infinity)
    for (float& z : weights) z = z == infinity ? 0 : -infinity;
  if (largest == -infinity) return std::vector<float>(row.size(), 0.0F);
  const Heights heights(weights, constants_of<Constants>(program));
  for (float& z : weights) z = heights.has(z) ? rounded(pow(heights(z), heights.exponent())) : 0;
  return weights;
}

std::vector<float> sequential_entmax_vjp(std::span<const float> row, std::span<const float> upstream,
                                         const DeviceProgram& program, bool held) {
  if (program.kernel == "entmax15_vjp") return sequential_entmax15_vjp(row, upstream, program, held);
  if (is_bad(row, upstream)) return std::vector<float>(row.size(), nan);
  std::vector<float> gradients(row.size(), 0.0F);
  if (*std::max_element(row.begin(), row.end()) == -infinity) return gradients;
  const auto call = constants_of<ConstantsOfVjp>(program);
  const Heights heights(row, call.entmax);
  std::vector<Big> slopes(row.size());
  Big sum = 0, products = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!heights.has(row[i])) continue;
    slopes[i] = pow(heights(row[i]), heights.exponent() - 1);
    sum += slopes[i], products += slopes[i] * Big(upstream[i]);
  }
  const Big mean = products / sum, inverse = ldexp(Big(call.inverse.bits), call.inverse.power);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!heights.has(row[i])) continue;
    const Big about = Big(upstream[i]) - mean;
    const bool counts = upstream[i] == 0 || (about != 0 && ilogb(about) >= ilogb(Big(upstream[i])) - 58);
    if (counts) gradients[i] = rounded(slopes[i] * about * inverse);
  }
  return gradients;
}

}  // namespace attncert
