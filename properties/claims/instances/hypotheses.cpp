#include "properties/claims/instances/hypotheses.hpp"

namespace attncert::hypotheses {

Truth has_tokens_and_selection(const Instance& instance) {
  return truth(instance.tokens && instance.weights.size() == instance.length && instance.count >= 1 &&
               instance.count <= instance.length && instance.selected.size() == instance.count);
}

Truth weights_on_simplex(const Instance& instance) {
  Rational total = 0;
  for (const Rational& a : instance.weights) {
    if (sgn(a) < 0) return Truth::no;
    total += a;
  }
  return truth(total == 1);
}

Truth top_selection(const Instance& instance) {
  const Rational* smallest = nullptr;
  for (const std::size_t i : instance.selected)
    if (smallest == nullptr || instance.weights[i] < *smallest) smallest = &instance.weights[i];
  for (const std::size_t i : instance.unselected())
    if (smallest == nullptr || instance.weights[i] > *smallest) return Truth::no;
  return Truth::yes;
}

Truth at_least_two_tokens(const Instance& instance) { return truth(instance.length >= 2); }

Truth positive_mass(const Instance& instance) { return truth(sgn(instance.selected_mass()) > 0); }

Truth positive_weights(const Instance& instance) {
  for (const Rational& a : instance.weights)
    if (sgn(a) <= 0) return Truth::no;
  return Truth::yes;
}

Truth something_unselected(const Instance& instance) { return truth(instance.count + 1 <= instance.length); }

Truth on_a_sphere(const Instance& instance) { return truth(instance.tokens->on_a_sphere(instance.length)); }

Truth distinct_tokens(const Instance& instance) {
  if (instance.length < 2) return Truth::yes;
  for (const auto& [i, j] : instance.tokens->closest_candidates(instance.length))
    if (sgn(instance.tokens->squared_distance(i, j)) == 0) return Truth::no;
  return Truth::yes;
}

Truth positive_radius(const Instance& instance) {
  const Precision precision{};
  const auto& geometry = instance.selection(precision);
  if (!geometry.r) return Truth::no;
  if (less(Interval(0.0, precision), *geometry.r) == Truth::yes) return Truth::yes;
  for (const std::size_t j : instance.unselected())
    if (sgn(exact_squared_distance_to_context(instance, j)) == 0) return Truth::no;
  return Truth::yes;
}

Truth at_least_two_selected(const Instance& instance) { return truth(instance.count >= 2); }

Truth positive_temperature(const Instance& instance) {
  return truth(instance.temperature && sgn(*instance.temperature) > 0 && instance.logits.size() == instance.length);
}

Truth positive_values(const Instance& instance) {
  if (instance.F.empty() || instance.F.size() != instance.dF.size()) return Truth::no;
  for (const Rational& value : instance.F)
    if (sgn(value) <= 0) return Truth::no;
  return Truth::yes;
}

}  // namespace attncert::hypotheses
