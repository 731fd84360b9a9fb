#include "properties/claims/catalogue/sides/softmax.hpp"

#include <algorithm>

#include "properties/claims/instances/hypotheses.hpp"

namespace attncert::sides {

std::vector<Hypothesis> softmax_hypotheses() { return {{"T > 0", hypotheses::positive_temperature}}; }

Interval spectral_norm(const Instance& instance, Precision precision) {
  return instance.softmax(precision).eigenvalue / Interval(*instance.temperature, precision);
}

Interval over_temperature(long numerator, unsigned long denominator, const Instance& instance, Precision precision) {
  return Interval(Rational(ratio(numerator, denominator) / *instance.temperature), precision);
}

bool all_logits_equal(const Instance& instance) {
  return std::adjacent_find(instance.logits.begin(), instance.logits.end(), std::not_equal_to<>()) ==
         instance.logits.end();
}

// (l_1 - l_2)/T + log(L-1) - log sum_{j >= 2} exp((l_j - l_2)/T), l_1 >= l_2 the two largest: no exponent is positive,
// and the sum lies in [1, L-1].
Interval log_odds_over_uniform(const Instance& instance, Precision precision) {
  const auto [first, second] = two_largest(instance.logits);
  const Rational &top = instance.logits[first], &next = instance.logits[second], &t = *instance.temperature;
  Interval sum(0.0, precision);
  for (std::size_t j = 0; j < instance.length; ++j)
    if (j != first) sum += exp(Interval(Rational((instance.logits[j] - next) / t), precision));
  const Rational others(static_cast<unsigned long>(instance.length - 1));
  return Interval(Rational((top - next) / t), precision) + log(Interval(others, precision)) - log(sum);
}

Rational logit_range(const Instance& instance) {
  const auto [least, most] = std::minmax_element(instance.logits.begin(), instance.logits.end());
  return *most - *least;
}

bool one_logit_above_equal_others(const Instance& instance) {
  const auto [first, second] = two_largest(instance.logits);
  for (std::size_t j = 0; j < instance.length; ++j)
    if (j != first && instance.logits[j] != instance.logits[second]) return false;
  return true;
}

}  // namespace attncert::sides
