#include "properties/claims/catalogue/sides/selection.hpp"

#include <algorithm>

#include "reference/exact_rows.hpp"

namespace attncert::sides {

Hypotheses any_selection_hypotheses(Hypotheses more) {
  more.insert(more.begin(), {hypotheses::tokens_and_selection, hypotheses::weights_on_simplex});
  return more;
}

Hypotheses selection_hypotheses(Hypotheses more) {
  more.insert(more.begin(), hypotheses::top_selection);
  return any_selection_hypotheses(std::move(more));
}

Interval distance(const Instance& instance, Precision precision) { return instance.selection(precision).distance; }

Interval unselected_times_d1(const Instance& instance, Precision precision) {
  const Rational outside = 1 - instance.selected_mass();
  if (sgn(outside) == 0) return Interval(0.0, precision);
  return Interval(outside, precision) * instance.largest_cross_distance(precision);
}

Rational exact_bracket(const Instance& instance) {
  const Rational mass = instance.selected_mass();
  return mass * outside(instance) - (1 - mass);
}

Interval bracket(const Instance& instance, Precision precision) { return Interval(exact_bracket(instance), precision); }

Interval plain_upper(const Instance& instance, Precision precision) {
  const Interval& largest = instance.selection(precision).largest_selected;
  return unselected_times_d1(instance, precision) + largest * bracket(instance, precision);
}

Interval distance_beyond_context(const Instance& instance, Precision precision) {
  const auto& geometry = instance.selection(precision);
  if (less(Interval(0.0, precision), geometry.norm_s) != Truth::yes)
    return geometry.distance - Interval(outside(instance), precision) * geometry.norm_s;
  Interval difference(0.0, precision);
  for (const std::size_t i : instance.unselected())
    difference += geometry.excess[i] / (geometry.f[i] + geometry.norm_s);
  return difference;
}

bool distance_beyond_context_is(const Instance& instance, const SurdSum& x) {
  SurdSum context(outside(instance), exact_squared_norm(instance, {1, 0}));
  return exact_distance(instance) == (context += x);
}

bool context_beyond_distance_is(const Instance& instance, const SurdSum& x) {
  SurdSum distance = exact_distance(instance);
  return SurdSum(outside(instance), exact_squared_norm(instance, {1, 0})) == (distance += x);
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

Interval norm_of_differences(const Instance& instance, Precision precision) {
  return mixed_norm(instance, sum_of_differences(instance), precision);
}

Rational outside(const Instance& instance) { return Rational(instance.length - instance.count); }

Rational exact_squared_norm(const Instance& instance, const Mixture& mixture) {
  std::vector<Rational> rest(instance.dimension());
  for (const std::size_t i : instance.unselected())
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] += instance.weights[i] * instance.tokens->token(i)[k];
  for (std::size_t k = 0; k < rest.size(); ++k)
    rest[k] = mixture.selected * instance.context()[k] + mixture.unselected * rest[k];
  return sum_of_squares(rest);
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

SurdSum exact_d1_term(const Instance& instance) {
  return {1 - instance.selected_mass(),
          instance.tokens->largest_squared_distance(instance.unselected(), instance.selected)};
}

SurdSum exact_plain_upper(const Instance& instance) {
  SurdSum sum = exact_d1_term(instance);
  sum.add(exact_bracket(instance), exact_largest_selected_square(instance));
  return sum;
}

}  // namespace attncert::sides
