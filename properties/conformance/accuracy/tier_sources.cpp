#include "properties/conformance/accuracy/tier_sources.hpp"

#include <algorithm>

#include "reference/normalizers/entmax15.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert::tier {
namespace {

constexpr Precision threshold_precision{112};  // a little more than a pair of doubles holds

// By a power of two, so that nothing is lost; false where something is, or something would be too large.
bool move(std::vector<double>& values, int exponent, double largest) {
  for (double& value : values) {
    const double moved = std::ldexp(value, exponent);
    if (std::isfinite(value) && !(std::abs(moved) <= largest && std::ldexp(moved, -exponent) == value)) return false;
    value = moved;
  }
  return true;
}

// t of alpha-entmax, which solves G(t) = sum of height(t)^beta = 1. Since G(t) / t^beta never falls
// (reference/normalizers/entmax.cpp), t lies between any m > 0 and m G(m)^(-1 / beta): within m |G(m) - 1| / beta of m,
// but for squares of G - 1. Two steps of Newton's rule from where doubles end, or a few more where they did not come
// near, leave what balls can tell.
std::optional<Number> entmax_threshold(Sources& s, const BallRow& row, double rough, const Number& beta) {
  constexpr int last_step = 8;
  Number at{rough, 0, 0};
  for (int step = 0;; ++step) {
    heights(row, s.largest, at, s.weights);
    s.slopes = s.weights;
    raise(s.slopes, beta);
    const Number total = sum(s.slopes);
    const double residual = (total.high / ball_unit - 1) + total.low / ball_unit;
    const double off = std::abs(residual) * (1 + 0x1p-40) + total.error / ball_unit;
    if (step >= 2 && off * (1 + 1 / beta.high) < 0x1p-20) {
      at.error = at.high * (off / beta.high) * (1 + 0x1p-10);
      return at;
    }
    if (step == last_step || !(off < HUGE_VAL)) return std::nullopt;
    double slope = 0;
    for (std::size_t i = 0; i < row.length; ++i)
      if (s.weights.high[i] > 0) slope += beta.high * s.slopes.high[i] / ball_unit / s.weights.high[i];
    if (!(slope > 0)) return std::nullopt;  // the sum of heights is nothing beside 1 at this threshold
    const double_double::DoubleDouble next = double_double::two_sum(at.high, at.low - residual / slope);
    at = {next.high, next.low, 0};
  }
}

}  // namespace

double_double::Factor factor(const Normalizer& normalizer, const LogitRow& row) {
  if (normalizer.parameter != ReadsParameter::scale) return double_double::inverse(row.temperature);
  std::size_t present = 0;
  for (std::size_t i = 0; i < row.logits.size(); ++i) present += row.present(i);
  return double_double::scalable(row.parameters.scale, present, row.temperature);
}

bool take_exponentials(Sources& s) {
  const double_double::Factor by = factor(s.normalizer, s.row);
  return double_double::in_range(by) && s.exponentials.compute<double>(s.row.logits, s.row.mask, by);
}

bool take_row(Sources& s) {
  constexpr double largest_moved_logit = 0x1p900;
  constexpr int largest_power = 400, least_power = -900;
  const int of_temperature = -std::ilogb(s.row.temperature);
  s.row.temperature = std::ldexp(s.row.temperature, of_temperature);
  if (!move(s.row.logits, of_temperature, largest_moved_logit)) return false;
  const std::size_t length = s.row.logits.size(), padded = double_double::padded_to_vectors(length);
  s.logits.assign(padded, -HUGE_VAL);
  s.upstream.assign(s.normalizer.derivative ? padded : 0, 0.0);
  s.largest = -HUGE_VAL, s.smallest = HUGE_VAL;
  double most = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (!s.row.present(i)) continue;
    s.logits[i] = s.row.logits[i];
    s.largest = std::max(s.largest, s.logits[i]);
    s.smallest = std::min(s.smallest, s.logits[i]);
    if (s.normalizer.derivative) most = std::max(most, std::abs(s.upstream[i] = s.row.upstream[i]));
  }
  if (!s.normalizer.derivative) return true;
  const int of_upstream = most > 0 ? -std::ilogb(most) - 1 : 0, power = of_temperature - of_upstream;
  s.power = std::ldexp(1.0, power);
  return power <= largest_power && power >= least_power && move(s.upstream, of_upstream, 1);
}

BallRow ball_row(const Sources& s, const Number& by) { return {s.row.logits.size(), s.logits.data(), by}; }
Number inverse_temperature(const Sources& s) { return number(double_double::inverse(s.row.temperature)); }

Number number_of(const Interval& interval) {
  const double high = interval.midpoint();
  const Interval rest = interval - Interval(high, interval.precision());
  const double low = rest.midpoint();
  const double_double::DoubleDouble pair = double_double::fast_two_sum(high, low);
  return {pair.high, pair.low, abs(rest - Interval(low, interval.precision())).upper()};
}

Number number_of(const Rational& value) { return number_of(Interval(value, threshold_precision)); }

void take_sparsemax_heights(Sources& s) {
  const Rational threshold = reference::sparsemax_threshold(s.row.logits, s.row.temperature, s.row.mask).value;
  const Rational over(exact(s.largest) / exact(s.row.temperature) - threshold);
  heights(ball_row(s, inverse_temperature(s)), s.largest, number_of(over), s.weights);
}

void take_three_halves_heights(Sources& s) {
  reference::ThreeHalvesRoots roots(s.row);
  Number by = inverse_temperature(s);
  by = {by.high / 2, by.low / 2, by.error / 2};
  heights(ball_row(s, by), s.largest, number_of(roots.root(s.largest, threshold_precision)), s.weights);
}

bool take_entmax_heights(Sources& s, const reference::EntmaxThreshold& reference) {
  const Rational slope(reference.rise(), reference.run());
  const BallRow row = ball_row(s, number_of(Rational(slope / exact(s.row.temperature))));
  const auto threshold = entmax_threshold(s, row, reference.rough_threshold(), number_of(reference.beta()));
  if (threshold) heights(row, s.largest, *threshold, s.weights);
  return threshold.has_value();
}

double taylor_unit(const Sources& s) {
  const double most = std::max(std::abs(s.largest), std::abs(s.smallest));  // T is at least 1
  return most > 1 ? std::ldexp(1.0, std::ilogb(most) + 1) : 1;
}

void take_sigmas(Sources& s) {
  sigmoid_terms(ball_row(s, inverse_temperature(s)), 0, std::min(s.largest, 0.0), double_double::SigmoidTerm::sigma,
                s.weights);
  scale(s.weights, {ball_unit, 0, 0}, sum(s.weights));
}

}  // namespace attncert::tier
