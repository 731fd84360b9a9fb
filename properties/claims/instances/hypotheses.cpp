#include "properties/claims/instances/hypotheses.hpp"

#include <algorithm>

#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

bool all_positive(const std::vector<Rational>& values) {
  return std::all_of(values.begin(), values.end(), [](const Rational& value) { return sgn(value) > 0; });
}

Truth has_tokens_and_selection(const Instance& instance) {
  return truth(instance.tokens && instance.weights.size() == instance.length && instance.count >= 1 &&
               instance.count <= instance.length && instance.selected.size() == instance.count);
}

Truth selects_the_largest(const Instance& instance) {
  const Rational* smallest = nullptr;
  for (const std::size_t i : instance.selected)
    if (smallest == nullptr || instance.weights[i] < *smallest) smallest = &instance.weights[i];
  for (const std::size_t i : instance.unselected())
    if (smallest == nullptr || instance.weights[i] > *smallest) return Truth::no;
  return Truth::yes;
}

Truth has_distinct_tokens(const Instance& instance) {
  if (instance.length < 2) return Truth::yes;
  for (const auto& [i, j] : instance.tokens->closest_candidates(instance.length))
    if (sgn(instance.tokens->squared_distance(i, j)) == 0) return Truth::no;
  return Truth::yes;
}

Truth has_a_radius(const Instance& instance) {
  const Precision precision{};
  const auto& geometry = instance.selection(precision);
  if (!geometry.r) return Truth::no;
  if (less(Interval(0.0, precision), *geometry.r) == Truth::yes) return Truth::yes;
  for (const std::size_t j : instance.unselected())
    if (sgn(exact_squared_distance_to_context(instance, j)) == 0) return Truth::no;
  return Truth::yes;
}

Truth has_temperature(const Instance& instance) {
  return truth(instance.temperature && sgn(*instance.temperature) > 0 && instance.logits.size() == instance.length);
}

Truth has_values(const Instance& instance) { return truth(!instance.F.empty() && all_positive(instance.F)); }

Truth has_values_with_slopes(const Instance& instance) {
  return truth(instance.F.size() == instance.dF.size()) && has_values(instance);
}

}  // namespace

namespace hypotheses {

const Hypothesis tokens_and_selection{"1 <= N and N <= L", has_tokens_and_selection};
const Hypothesis nonnegative_weights{"a_i >= 0", [](const Instance& instance) {
                                       return truth(instance.weights.size() == instance.length &&
                                                    std::all_of(instance.weights.begin(), instance.weights.end(),
                                                                [](const Rational& a) { return sgn(a) >= 0; }));
                                     }};
const Hypothesis weights_on_simplex{
    "a_i >= 0 and sum(i: a_i) = 1", [](const Instance& instance) {
      return truth(instance.weights.size() == instance.length && on_simplex(instance.weights));
    }};
const Hypothesis top_selection{"I is a set of N largest weights", selects_the_largest};
const Hypothesis at_least_two_tokens{"L >= 2", [](const Instance& instance) { return truth(instance.length >= 2); }};
const Hypothesis positive_mass{"A > 0",
                               [](const Instance& instance) { return truth(sgn(instance.selected_mass()) > 0); }};
const Hypothesis positive_weights{"a_i > 0",
                                  [](const Instance& instance) { return truth(all_positive(instance.weights)); }};
const Hypothesis something_unselected{
    "N <= L - 1", [](const Instance& instance) { return truth(instance.count + 1 <= instance.length); }};
const Hypothesis on_a_sphere{"tokens on a sphere around 0", [](const Instance& instance) {
                               return truth(instance.tokens->on_a_sphere(instance.length));
                             }};
const Hypothesis distinct_tokens{"separation delta > 0", has_distinct_tokens};
const Hypothesis positive_radius{"r > 0", has_a_radius};
const Hypothesis at_least_two_selected{"N >= 2", [](const Instance& instance) { return truth(instance.count >= 2); }};
const Hypothesis positive_temperature{"T > 0", has_temperature};
const Hypothesis positive_values{"F_i > 0", has_values};
const Hypothesis values_with_slopes{"F_i > 0", has_values_with_slopes};

}  // namespace hypotheses
}  // namespace attncert
