#include "properties/claims/sides/separability.hpp"

#include <algorithm>
#include <optional>

#include "properties/claims/sides/selection.hpp"
#include "properties/generators/hypotheses.hpp"

namespace attncert::sides {

std::vector<Hypothesis> sphere_hypotheses() {
  std::vector<Hypothesis> all = selection_hypotheses();
  all.push_back({"N <= L - 1", hypotheses::something_unselected});
  all.push_back({"tokens on a sphere around 0", hypotheses::on_a_sphere});
  all.push_back({"separation delta > 0", hypotheses::distinct_tokens});
  return all;
}

std::vector<Hypothesis> sphere_hypotheses_with_radius() {
  std::vector<Hypothesis> all = sphere_hypotheses();
  all.push_back({"r > 0", hypotheses::positive_radius});
  return all;
}

Interval separable_share(const Instance& instance, Precision precision) {
  const auto separable = instance.separable(precision);
  return hull(Interval(ratio(static_cast<long>(separable.certain), instance.count), precision),
              Interval(ratio(static_cast<long>(separable.possible), instance.count), precision));
}

std::vector<Interval> radii(const Instance& instance, Precision precision) {
  const Interval squared_radius = Interval(instance.tokens->squared_norm(0), precision);
  return reference::separability_radii(instance.selected_weights(), squared_radius,
                                       instance.squared_separation(precision), precision);
}

const Interval& threshold(const Instance& instance, Precision precision) { return *instance.selection(precision).r; }

std::vector<Rational> exact_squared_radii(const Instance& instance) {
  const Rational squared_radius = instance.tokens->squared_norm(0);
  std::optional<Rational> separation;
  for (const auto& [i, j] : instance.tokens->closest_candidates(instance.length)) {
    const Rational distance = instance.tokens->squared_distance(i, j);
    if (!separation || distance < *separation) separation = distance;
  }
  const std::vector<Rational> a = instance.selected_weights();
  Rational mass = 0, squares = 0;
  for (const Rational& weight : a) {
    mass += weight;
    squares += weight * weight;
  }
  std::vector<Rational> result;
  for (const Rational& weight : a) {
    const Rational others = mass - weight, other_squares = squares - weight * weight;
    const Rational square =
        squared_radius * other_squares + (squared_radius - *separation / 2) * (others * others - other_squares);
    result.push_back(std::max(square, Rational(0)));
  }
  return result;
}

Rational exact_squared_threshold(const Instance& instance) {
  std::optional<Rational> smallest;
  for (const std::size_t j : instance.unselected()) {
    const Rational square = exact_squared_distance_to_context(instance, j);
    if (!smallest || square < *smallest) smallest = square;
  }
  return *smallest;
}

}  // namespace attncert::sides
