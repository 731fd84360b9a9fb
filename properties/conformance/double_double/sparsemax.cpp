// One number at a time: most entries are zeros, which a comparison finds.
#include "properties/conformance/double_double/sparsemax.hpp"

#include <cmath>
#include <limits>

namespace attncert::double_double {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double absent = std::numeric_limits<double>::quiet_NaN();
constexpr double extreme = 0x1p200;
// An entry is known when the error of z - t is at most this part of it: 2^-24 ulp in f64.
constexpr double known = 0x1p-77;
constexpr int sparsemax_scale = 512;

}  // namespace

template <class T>
std::optional<Truth> Sparsemax::truth(std::span<const T> logits, std::span<const std::uint8_t> mask,
                                      const Factor& factor, const Threshold& threshold) {
  const double c = factor.value.high;
  if (!(c >= 1 / extreme && c <= extreme && std::abs(threshold.value.high) <= extreme)) return std::nullopt;
  constexpr std::size_t padding = 16;
  if (high_.size() < logits.size() + padding) {
    high_.resize(logits.size() + padding);
    low_.resize(logits.size() + padding);
  }
  const DoubleDouble minus = negated(threshold.value);
  // add() errs by 3 u^2 of its result, which the relative error covers: what cancels is the threshold's error alone.
  const double margin = threshold.error / known;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double z = static_cast<double>(logits[i]);
    high_[i] = absent;
    low_[i] = 0;
    if ((!mask.empty() && mask[i] == 0) || z == -infinity) continue;
    if (!(std::abs(z) <= extreme)) return std::nullopt;
    if (z - threshold.value.high < -2 * margin - 0x1p-50 * std::abs(z)) continue;
    const DoubleDouble difference = add({z, 0}, minus);
    if (difference.high < -margin) continue;
    high_[i] = difference.high <= margin ? infinity : difference.high * 0x1p512;
    low_[i] = difference.high <= margin ? 0 : difference.low * 0x1p512;
  }
  Truth truth;
  truth.length = logits.size();
  truth.high = high_.data();
  truth.low = low_.data();
  truth.times = factor.value;
  truth.scale = sparsemax_scale;
  truth.relative = known * (1 + 0x1p-10) + factor.relative;
  return truth;
}
template std::optional<Truth> Sparsemax::truth<float>(std::span<const float>, std::span<const std::uint8_t>,
                                                      const Factor&, const Threshold&);
template std::optional<Truth> Sparsemax::truth<double>(std::span<const double>, std::span<const std::uint8_t>,
                                                       const Factor&, const Threshold&);

}  // namespace attncert::double_double
