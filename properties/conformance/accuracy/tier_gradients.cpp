#include <cmath>
#include <utility>

#include "properties/conformance/accuracy/tier_sources.hpp"
#include "reference/normalizers/far_self_adjusted.hpp"
#include "reference/normalizers/top_k_softmax.hpp"

namespace attncert::tier {
namespace {

// So that its product with `power` (2^-900 .. 2^400) is exact and not too large.
bool is_moderate(double factor) { return factor == 0 || (std::abs(factor) >= 0x1p-60 && std::abs(factor) <= 0x1p100); }

Number in_units(const Sources& s, const Number& by) {
  return {by.high * s.power, by.low * s.power, by.error * s.power};
}

// Of shares in `weights` and `slopes`.
MaybeTruth gradient_truth(Sources& s, const Balls& slopes, const Number& by) {
  differentiate({s.weights, slopes, s.upstream.data(), in_units(s, by), s.negligible}, s.gradient, s.magnitude);
  return truth_of(s.gradient, ball_row(s, {}), false, &s.magnitude);
}

// p_i (g_i - sum p_j g_j) c of weights that exponentials give.
MaybeTruth differentiated(Sources& s, MaybeTruth (*weights)(Sources&)) {
  if (!take_row(s)) return std::nullopt;
  const MaybeTruth p = weights(s);
  const double_double::Factor by = factor(s.normalizer, s.row);
  if (!p || !is_moderate(by.value.high)) return std::nullopt;
  take(*p, s.weights);
  return gradient_truth(s, s.weights, number(by));
}

// s_i (g_i - sum s_j g_j / sum s_j) / T of the terms s in `slopes`.
MaybeTruth sparse_gradient(Sources& s) {
  s.weights = s.slopes;
  scale(s.weights, {ball_unit, 0, 0}, sum(s.slopes));
  return gradient_truth(s, s.slopes, inverse_temperature(s));
}

// The logits of the row that are this one.
double_double::AdjustedEnd end_at(const Sources& s, double logit) {
  double_double::AdjustedEnd end{logit};
  for (std::size_t i = 0; i < s.row.logits.size(); ++i) {
    if (s.logits[i] != logit) continue;
    if (end.count++ == 0) end.origin = s.upstream[i];
  }
  return end;
}

MaybeTruth zeros(Sources& s) {
  s.gradient = {};
  s.gradient.resize(s.row.logits.size());
  s.magnitude.assign(s.gradient.high.size(), 0);
  return truth_of(s.gradient, ball_row(s, {}), false, &s.magnitude);
}

// Of p_i (z_i - low) over T, or over high - low. The derivative of v0 by its plain terms, unless the row is far from 0.
MaybeTruth adjusted_gradient(Sources& s, const double_double::AdjustedEnd& low, const double_double::AdjustedEnd& high,
                             bool over_range, bool plain_magnitudes = false) {
  const double_double::DoubleDouble range = double_double::two_sum(high.logit, -low.logit);
  if (over_range && range.high == 0) return zeros(s);
  const MaybeTruth p = softmax(s);
  if (!p) return std::nullopt;
  take(*p, s.weights);
  const Number unit = over_range ? Number{range.high, range.low, 0} : Number{s.row.temperature, 0, 0};
  const BallRow row = ball_row(s, {});
  differentiate_adjusted(
      {row, s.weights, s.upstream.data(), s.largest, end_at(s, s.largest).origin, low, high, over_range,
       plain_magnitudes, unit, in_units(s, inverse_temperature(s)), s.power, s.negligible},
      s.gradient, s.magnitude);
  // Those of Interval are rounded so far down for v1 to v3 (reference/normalizers/sa_softmax_vjp.cpp).
  for (double& size : s.magnitude) size *= low.count != 0 || high.count != 0 || over_range ? 1 - 0x1p-41 : 1;
  return truth_of(s.gradient, row, false, &s.magnitude);
}

}  // namespace

MaybeTruth softmax_vjp(Sources& s) { return differentiated(s, softmax); }
MaybeTruth softmax1_vjp(Sources& s) { return differentiated(s, softmax1); }
MaybeTruth top_k_softmax_vjp(Sources& s) {
  s.row = reference::top_k_cell(s.row);
  return differentiated(s, softmax);
}

MaybeTruth log_softmax_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  const MaybeTruth p = softmax(s);
  if (!p) return std::nullopt;
  take(*p, s.weights);
  differentiate_logarithm({s.weights, s.weights, s.upstream.data(), in_units(s, inverse_temperature(s)), s.negligible},
                          s.gradient, s.magnitude);
  return truth_of(s.gradient, ball_row(s, {}), false, &s.magnitude);
}

MaybeTruth sa_softmax_v0_vjp(Sources& s) {
  const bool is_far = reference::is_far_self_adjusted(s.row);
  return take_row(s) ? adjusted_gradient(s, {}, {}, false, !is_far) : std::nullopt;
}
MaybeTruth sa_softmax_v1_vjp(Sources& s) {
  return take_row(s) ? adjusted_gradient(s, end_at(s, s.smallest), {}, false) : std::nullopt;
}
MaybeTruth sa_softmax_v2_vjp(Sources& s) {
  return take_row(s) ? adjusted_gradient(s, end_at(s, s.smallest), end_at(s, s.largest), true) : std::nullopt;
}
MaybeTruth sa_softmax_v3_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  const double_double::AdjustedEnd zero, low = s.smallest < 0 ? end_at(s, s.smallest) : zero,
                                         high = s.largest > 0 ? end_at(s, s.largest) : zero;
  return adjusted_gradient(s, low, high, true);
}

MaybeTruth sparsemax_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  take_sparsemax_heights(s);
  std::swap(s.weights, s.slopes);
  indicate(s.slopes);
  return sparse_gradient(s);
}

MaybeTruth entmax15_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  take_three_halves_heights(s);
  std::swap(s.weights, s.slopes);
  scale(s.slopes, {ball_unit, 0, 0}, {1, 0, 0});
  return sparse_gradient(s);
}

// s = height^((2 - alpha) / (alpha - 1))
MaybeTruth entmax_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  const reference::EntmaxThreshold threshold(s.row);
  if (!take_entmax_heights(s, threshold)) return std::nullopt;
  std::swap(s.weights, s.slopes);
  raise(s.slopes, number_of(Rational(threshold.beta() - 1)));
  return sparse_gradient(s);
}

MaybeTruth relu_normalized_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  positive_parts(ball_row(s, {}), s.weights);
  s.slopes = s.weights;
  indicate(s.slopes);
  const Number total = s.largest > 0 ? sum(s.weights) : Number{1, 0, 0};
  scale(s.weights, {ball_unit, 0, 0}, total);
  scale(s.slopes, {1, 0, 0}, total);
  return gradient_truth(s, s.slopes, {1, 0, 0});
}

MaybeTruth taylor_softmax_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  const BallRow row = ball_row(s, inverse_temperature(s));
  const double unit = taylor_unit(s);
  taylor_terms(row, s.row.parameters.order, unit, s.weights);
  taylor_terms(row, s.row.parameters.order - 1, unit, s.slopes);
  const Number total = sum(s.weights);
  scale(s.weights, {ball_unit, 0, 0}, total);
  scale(s.slopes, {ball_unit / unit, 0, 0}, total);
  return gradient_truth(s, s.slopes, row.factor);
}

MaybeTruth sigmoid_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  const BallRow row = ball_row(s, inverse_temperature(s));
  sigmoid_terms(row, s.row.parameters.bias, 0, double_double::SigmoidTerm::slope, s.slopes);
  multiply_upstream({s.weights, s.slopes, s.upstream.data(), in_units(s, row.factor), s.negligible}, s.gradient);
  return truth_of(s.gradient, row, false, nullptr);
}

MaybeTruth sigmoid_normalized_vjp(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  take_sigmas(s);
  const BallRow row = ball_row(s, inverse_temperature(s));
  sigmoid_terms(row, 0, 0, double_double::SigmoidTerm::complement, s.slopes);
  multiply(s.slopes, s.weights);
  return gradient_truth(s, s.slopes, row.factor);
}

}  // namespace attncert::tier
