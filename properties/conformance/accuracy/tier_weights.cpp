#include <algorithm>

#include "properties/conformance/accuracy/tier_sources.hpp"
#include "reference/normalizers/top_k_softmax.hpp"

namespace attncert::tier {
namespace {

MaybeTruth weights_truth(Sources& s) {
  return truth_of(s.weights, ball_row(s, {}), s.normalizer.exact_support, nullptr);
}

// Terms -> weights.
MaybeTruth shared_out(Sources& s) {
  scale(s.weights, {ball_unit, 0, 0}, sum(s.weights));
  return weights_truth(s);
}

// Self-adjusted softmax: p_i (z_i - low) over T, or over high - low.
MaybeTruth adjusted(Sources& s, double low, std::optional<double> high) {
  const MaybeTruth weights = softmax(s);
  if (!weights) return std::nullopt;
  take(*weights, s.weights);
  const double_double::DoubleDouble range = double_double::two_sum(high.value_or(0), -low);
  if (!high) scale(s.weights, inverse_temperature(s), {1, 0, 0});
  else if (range.high > 0) scale(s.weights, {1, 0, 0}, {range.high, range.low, 0});
  times_height_above(ball_row(s, {}), low, s.weights);
  return weights_truth(s);
}

}  // namespace

MaybeTruth softmax(Sources& s) {
  if (!take_exponentials(s)) return std::nullopt;
  return softmax_truth(s.exponentials);
}

MaybeTruth softmax1(Sources& s) {
  if (!take_exponentials(s)) return std::nullopt;
  return softmax1_truth(s.exponentials);
}

MaybeTruth log_softmax(Sources& s) {
  if (!take_exponentials(s)) return std::nullopt;
  return s.log_softmax.truth(s.exponentials);
}

MaybeTruth top_k_softmax(Sources& s) {
  s.row = reference::top_k_cell(s.row);
  return softmax(s);
}

MaybeTruth sparsemax(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  take_sparsemax_heights(s);
  scale(s.weights, {ball_unit, 0, 0}, {1, 0, 0});
  return weights_truth(s);
}

MaybeTruth entmax15(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  take_three_halves_heights(s);
  square(s.weights);
  return weights_truth(s);
}

MaybeTruth entmax(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  const reference::EntmaxThreshold threshold(s.row);
  if (!take_entmax_heights(s, threshold)) return std::nullopt;
  raise(s.weights, number_of(threshold.beta()));
  return weights_truth(s);
}

MaybeTruth relu_normalized(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  positive_parts(ball_row(s, {}), s.weights);
  if (!(s.largest > 0)) return weights_truth(s);  // all are 0
  return shared_out(s);
}

MaybeTruth taylor_softmax(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  taylor_terms(ball_row(s, inverse_temperature(s)), s.row.parameters.order, taylor_unit(s), s.weights);
  return shared_out(s);
}

MaybeTruth sigmoid(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  sigmoid_terms(ball_row(s, inverse_temperature(s)), s.row.parameters.bias, 0, double_double::SigmoidTerm::sigma,
                s.weights);
  return weights_truth(s);
}

MaybeTruth sigmoid_normalized(Sources& s) {
  if (!take_row(s)) return std::nullopt;
  take_sigmas(s);
  return weights_truth(s);
}

MaybeTruth sa_softmax_v0(Sources& s) { return take_row(s) ? adjusted(s, 0, std::nullopt) : std::nullopt; }
MaybeTruth sa_softmax_v1(Sources& s) { return take_row(s) ? adjusted(s, s.smallest, std::nullopt) : std::nullopt; }
MaybeTruth sa_softmax_v2(Sources& s) { return take_row(s) ? adjusted(s, s.smallest, s.largest) : std::nullopt; }
MaybeTruth sa_softmax_v3(Sources& s) {
  return take_row(s) ? adjusted(s, std::min(s.smallest, 0.0), std::max(s.largest, 0.0)) : std::nullopt;
}

}  // namespace attncert::tier
