#include "properties/conformance/double_double/derivative.hpp"

#include <cmath>

#include "properties/conformance/double_double/constants.hpp"
#include "properties/conformance/double_double/derivative_pass.hpp"
#include "src/core/assert.hpp"

namespace attncert::double_double {

template <class T>
std::optional<Truth> SoftmaxDerivative::truth(const Exponentials& e, std::span<const T> upstream) {
  ATTNCERT_ASSERT(upstream.size() == e.length());
  const Factor& factor = e.factor();
  if (!(std::abs(factor.value.high) <= 0x1p100)) return std::nullopt;
  const Weighted weighted = weigh(e.high(), e.low(), upstream.data(), e.length());
  if (weighted.refused) return std::nullopt;
  if (high_.size() < e.padded_length()) {
    high_.resize(e.padded_length());
    low_.resize(e.padded_length());
    magnitude_.resize(e.padded_length());
  }
  // What is held stands at 2^(512 + 256): powers of two take it to the truth's scale of 512.
  const double down = std::ldexp(1.0, -exponential_scale), to_scale = std::ldexp(1.0, -upstream_scale);
  const DoubleDouble mean = divide({weighted.sum.high * down, weighted.sum.low * down}, e.sum());
  const DoubleDouble whole = divide(factor.value, e.sum());
  const double sizes = weighted.magnitude.high * down / e.sum().high;
  Truth truth;
  truth.length = e.length();
  truth.times = {whole.high * to_scale, whole.low * to_scale};
  truth.scale = exponential_scale;
  const DerivativePass pass{e.length(),   e.high(),    e.low(),          mean, sizes, std::abs(truth.times.high),
                            high_.data(), low_.data(), magnitude_.data()};
  multiply_out(pass, upstream.data());
  truth.high = high_.data();
  truth.low = low_.data();
  truth.magnitude = magnitude_.data();
  truth.relative =
      2 * (e.relative() + e.sum_relative()) + 0x1p-87 + static_cast<double>(e.length()) * 0x1p-108 + factor.relative;
  // Underflow: 2^-1074 in the mean, which E <= 2^512 multiplies; that of the products is far smaller. Exponentials
  // below exp(-800) err by their own size, times |g - D| <= 2 max |g|; in the mean up to L of them do.
  truth.absolute = 0x1p-560 * std::abs(truth.times.high);
  if (e.deepest() >= -deepest_argument - 1)
    truth.absolute +=
        4 * weighted.largest * Exponentials::absolute * static_cast<double>(e.length() + 1) * std::abs(whole.high);
  return truth;
}
template std::optional<Truth> SoftmaxDerivative::truth<float>(const Exponentials&, std::span<const float>);
template std::optional<Truth> SoftmaxDerivative::truth<double>(const Exponentials&, std::span<const double>);

}  // namespace attncert::double_double
