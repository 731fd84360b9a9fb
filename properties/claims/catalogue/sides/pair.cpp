#include "properties/claims/catalogue/sides/pair.hpp"

#include <algorithm>

#include "reference/exact_rows.hpp"
#include "reference/normalizers/softmax.hpp"

namespace attncert::sides {
namespace {

// 1 - e^-x of x >= 0
Interval fall(const Interval& x) { return max(-expm1(-x), Interval(0.0, x.precision())); }

}  // namespace

Interval hyperbolic_tangent(const Interval& x) {
  const Interval two(2.0, x.precision()), minus = -expm1(-(two * x));  // 1 - e^(-2x)
  return minus / (two - minus);
}

namespace {

// log(p'_i/p_i) = h_i - log E_p e^h. Where osc(h) <= 1 the mean is taken relative to a token of weight >= 1/L, so that
// no error exceeds 2^-precision osc(h); beyond, from the two sums of exponentials, with the rational part subtracted
// exactly.
std::vector<Interval> log_ratios(const SoftmaxPair& pair, std::span<const Rational> from, std::span<const Rational> to,
                                 const Rational& temperature, Precision precision) {
  const auto top = static_cast<std::size_t>(std::max_element(from.begin(), from.end()) - from.begin());
  const auto other_top = static_cast<std::size_t>(std::max_element(to.begin(), to.end()) - to.begin());
  const bool near = pair.oscillation() <= 1;
  const Rational shift = near ? pair.h[top] : Rational((to[other_top] - from[top]) / temperature);
  Interval mean(0.0, precision);
  if (near) {
    for (std::size_t j = 0; j < pair.h.size(); ++j)
      mean += pair.before[j] * expm1(Interval(Rational(pair.h[j] - shift), precision));
    mean = log1p(mean);
  } else {
    mean = log(pair.before[top]) - log(pair.after[other_top]);
  }
  std::vector<Interval> result;
  for (const Rational& h : pair.h) result.push_back(Interval(Rational(h - shift), precision) - mean);
  return result;
}

}  // namespace

SoftmaxPair softmax_pair(std::span<const Rational> from, std::span<const Rational> to, const Rational& temperature,
                         Precision precision) {
  SoftmaxPair pair;
  for (std::size_t i = 0; i < from.size(); ++i) pair.h.emplace_back((to[i] - from[i]) / temperature);
  const auto [low, high] = std::minmax_element(pair.h.begin(), pair.h.end());
  pair.lowest = static_cast<std::size_t>(low - pair.h.begin());
  pair.highest = static_cast<std::size_t>(high - pair.h.begin());
  const bool near = pair.oscillation() <= 1;
  const Interval zero(0.0, precision);
  pair.before = reference::softmax(from, temperature, precision);
  if (!near) pair.after = reference::softmax(to, temperature, precision);
  pair.log_ratio = log_ratios(pair, from, to, temperature, precision);
  for (std::size_t i = 0; i < from.size(); ++i) {
    pair.difference.push_back(near ? pair.before[i] * expm1(pair.log_ratio[i]) : pair.after[i] - pair.before[i]);
    // Nothing cancels, p' >= p/e; where p is below every exponent its enclosure reaches 0.
    if (near) pair.after.push_back(max(pair.before[i] + pair.difference[i], zero));
  }
  return pair;
}

SoftmaxPair softmax_pair_of(const Instance& instance, Precision precision) {
  return softmax_pair(instance.logits, instance.other_logits, *instance.temperature, precision);
}

// With r_i = p'_i/p_i in [m, R], R = m e^D, D = osc(h): (r - 1)_+ lies below its chord on [m, R], and what is missing
// there, averaged over p, is sum_i p_i min{(R - r_i)(1 - m), (R - 1)(r_i - m)}/(R - m). The chord's own mean misses
// tanh(D/4) by 2 sinh^2(s/2)/sinh(D/2) = e^(|s| - D/2) (1 - e^-|s|)^2/(1 - e^-D), s = (log m + log R)/2.
Interval variation_slack(const SoftmaxPair& pair, Precision precision) {
  const Interval zero(0.0, precision), half(0.5, precision), spread(pair.oscillation(), precision);
  const Interval &log_m = pair.log_ratio[pair.lowest], &log_R = pair.log_ratio[pair.highest];
  const Interval below_one = fall(-log_m), above_one = fall(log_R);  // 1 - m, 1 - 1/R
  const Interval s = abs(log_m + log_R) * half;
  Interval total = exp(min(s - spread * half, zero)) * square(fall(s));
  for (std::size_t i = 0; i < pair.h.size(); ++i) {
    const Interval to_top(Rational(pair.h[pair.highest] - pair.h[i]), precision);
    const Interval to_bottom(Rational(pair.h[i] - pair.h[pair.lowest]), precision);
    total += min(pair.before[i] * fall(to_top) * below_one, pair.after[i] * fall(to_bottom) * above_one);
  }
  return total / fall(spread);
}

bool variation_is_attained(std::span<const Rational> from, std::span<const Rational> to) {
  const std::vector<Rational> h = difference(to, from);
  const auto [low, high] = std::minmax_element(h.begin(), h.end());
  const Rational least = *low, most = *high, half = (most - least) / 2;
  std::vector<Rational> rising, falling;
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (h[i] == most) rising.emplace_back(from[i] + half);
    else if (h[i] == least) falling.push_back(from[i]);
    else return false;
  }
  std::sort(rising.begin(), rising.end());
  std::sort(falling.begin(), falling.end());
  return rising == falling;
}

Hypotheses softmax_pair_hypotheses() {
  return {hypotheses::positive_temperature, {"a second row of logits", [](const Instance& instance) {
                                               return truth(instance.other_logits.size() == instance.length);
                                             }}};
}

}  // namespace attncert::sides
