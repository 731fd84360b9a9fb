#include "properties/claims/sides/softmax.hpp"

#include <algorithm>

#include "properties/generators/hypotheses.hpp"

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

}  // namespace attncert::sides
