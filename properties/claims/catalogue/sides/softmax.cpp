#include "properties/claims/catalogue/sides/softmax.hpp"

#include <algorithm>

namespace attncert::sides {

Interval spectral_norm(const Instance& instance, Precision precision) {
  return instance.softmax(precision).eigenvalue / Interval(*instance.temperature, precision);
}

Interval quarter_or_root_of_two(const Instance& instance, Precision precision) {
  return min(constant_over_temperature<1, 4>(instance, precision), root_of_two(instance, precision));
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
  const Interval others(Rational(instance.length - 1), precision);
  return Interval(Rational((top - next) / t), precision) + log(others) - log(sum);
}

bool one_logit_above_equal_others(const Instance& instance) {
  const auto [first, second] = two_largest(instance.logits);
  for (std::size_t j = 0; j < instance.length; ++j)
    if (j != first && instance.logits[j] != instance.logits[second]) return false;
  return true;
}

}  // namespace attncert::sides
