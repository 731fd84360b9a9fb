#include "properties/claims/sides/selection.hpp"

#include <algorithm>

#include "properties/generators/hypotheses.hpp"

namespace attncert::sides {

std::vector<Hypothesis> selection_hypotheses() {
  return {{"1 <= N <= L", hypotheses::has_tokens_and_selection},
          {"a_i >= 0 and sum a_i = 1", hypotheses::weights_on_simplex},
          {"I is a set of N largest weights", hypotheses::top_selection}};
}

Interval distance(const Instance& instance, Precision precision) { return instance.selection(precision).distance; }

Interval unselected_times_d1(const Instance& instance, Precision precision) {
  const Rational outside = 1 - instance.selected_mass();
  if (sgn(outside) == 0) return Interval(0.0, precision);
  return Interval(outside, precision) * instance.largest_cross_distance(precision);
}

Rational exact_bracket(const Instance& instance) {
  const Rational mass = instance.selected_mass();
  return mass * static_cast<unsigned long>(instance.length - instance.count) - (1 - mass);
}

Interval bracket(const Instance& instance, Precision precision) { return Interval(exact_bracket(instance), precision); }

Rational exact_largest_selected_square(const Instance& instance) {
  Rational largest = 0;
  for (const std::size_t j : instance.selected) largest = std::max(largest, instance.tokens->squared_norm(j));
  return largest;
}

SurdSum exact_distance(const Instance& instance) {
  SurdSum sum;
  for (const std::size_t i : instance.unselected()) sum.add(1, exact_squared_distance_to_context(instance, i));
  return sum;
}

void subtract_d1_term(SurdSum& sum, const Instance& instance) {
  Rational largest = 0;
  for (const auto& [i, j] : instance.tokens->farthest_candidates(instance.unselected(), instance.selected))
    largest = std::max(largest, instance.tokens->squared_distance(i, j));
  sum.add(instance.selected_mass() - 1, largest);
}

}  // namespace attncert::sides
