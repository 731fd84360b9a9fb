#include "properties/claims/catalogue/sides/selection.hpp"

#include <algorithm>

#include "properties/claims/instances/hypotheses.hpp"

namespace attncert::sides {

std::vector<Hypothesis> any_selection_hypotheses() {
  return {{"1 <= N <= L", hypotheses::has_tokens_and_selection},
          {"a_i >= 0 and sum a_i = 1", hypotheses::weights_on_simplex}};
}

std::vector<Hypothesis> selection_hypotheses() {
  std::vector<Hypothesis> all = any_selection_hypotheses();
  all.push_back({"I is a set of N largest weights", hypotheses::top_selection});
  return all;
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

Interval plain_upper(const Instance& instance, Precision precision) {
  const Interval& largest = instance.selection(precision).largest_selected;
  return unselected_times_d1(instance, precision) + largest * bracket(instance, precision);
}

Interval distance_beyond_context(const Instance& instance, Precision precision) {
  const auto& geometry = instance.selection(precision);
  if (less(Interval(0.0, precision), geometry.norm_s) != Truth::yes)
    return abs(geometry.distance - Interval(outside(instance), precision) * geometry.norm_s);
  Interval difference(0.0, precision);
  for (const std::size_t i : instance.unselected())
    difference += geometry.excess[i] / (geometry.f[i] + geometry.norm_s);
  return abs(difference);
}

Interval mixed_norm(const Instance& instance, const Mixture& mixture, Precision precision) {
  const auto& geometry = instance.selection(precision);
  const Interval selected(mixture.selected, precision), unselected(mixture.unselected, precision);
  std::vector<Interval> sum;
  for (std::size_t k = 0; k < instance.dimension(); ++k)
    sum.push_back(selected * geometry.s[k] + unselected * geometry.rest[k]);
  return sqrt(sum_of_squares(sum, precision));
}

Rational exact_largest_square(const Instance& instance) {
  Rational largest = 0;
  for (std::size_t i = 0; i < instance.length; ++i) largest = std::max(largest, instance.tokens->squared_norm(i));
  return largest;
}

Mixture sum_of_differences(const Instance& instance) { return {-outside(instance), 1}; }

Rational outside(const Instance& instance) {
  return Rational(static_cast<unsigned long>(instance.length - instance.count));
}

Rational exact_squared_norm(const Instance& instance, const Mixture& mixture) {
  std::vector<Rational> rest(instance.dimension());
  for (const std::size_t i : instance.unselected())
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] += instance.weights[i] * instance.tokens->token(i)[k];
  Rational square = 0;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    const Rational sum = mixture.selected * instance.context()[k] + mixture.unselected * rest[k];
    square += sum * sum;
  }
  return square;
}

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

void subtract_plain_upper(SurdSum& sum, const Instance& instance) {
  subtract_d1_term(sum, instance);
  sum.add(-exact_bracket(instance), exact_largest_selected_square(instance));
}

}  // namespace attncert::sides
