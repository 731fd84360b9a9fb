#include "properties/claims/catalogue/sides/separability.hpp"

#include <algorithm>
#include <optional>

#include "properties/claims/catalogue/sides/selection.hpp"
#include "reference/surd.hpp"

namespace attncert::sides {

Hypotheses sphere_hypotheses(Hypotheses more) {
  more.insert(more.begin(), {hypotheses::something_unselected, hypotheses::on_a_sphere, hypotheses::distinct_tokens});
  return selection_hypotheses(std::move(more));
}

Interval separable_share(const Instance& instance, Precision precision) {
  const auto separable = instance.separable(precision);
  return hull(Interval(ratio(static_cast<long>(separable.certain), instance.count), precision),
              Interval(ratio(static_cast<long>(separable.possible), instance.count), precision));
}

std::vector<Interval> radii(const Instance& instance, Reading reading, Precision precision) {
  const Interval squared_radius = Interval(instance.tokens->squared_norm(0), precision);
  std::vector<Interval> result = reference::squared_radii(instance.selected_weights(), reading, squared_radius,
                                                          instance.squared_separation(precision), precision);
  for (Interval& square : result) square = sqrt(square);
  return result;
}

const Interval& threshold(const Instance& instance, Precision precision) { return *instance.selection(precision).r; }

Interval mean_radius(const Instance& instance, Reading reading, Precision precision) {
  const Interval n(Rational(instance.count), precision);
  return sum(radii(instance, reading, precision), precision) / (threshold(instance, precision) * n);
}

Interval inseparable_share(const Instance& instance, Precision precision) {
  return Interval(1.0, precision) - separable_share(instance, precision);
}

// sum xi_i = r (N - N_s)
bool radius_share_is_separable_share(const Instance& instance, Reading reading) {
  const auto separable = instance.separable(Precision{});
  if (separable.certain != separable.possible) return false;
  SurdSum radii;
  for (const Rational& square : exact_squared_radii(instance, reading, exact_squared_separation(instance)))
    radii.add(1, std::max(square, Rational(0)));
  return radii == SurdSum(Rational(instance.count - separable.certain), exact_squared_threshold(instance));
}

Rational exact_squared_separation(const Instance& instance) {
  std::optional<Rational> separation;
  for (const auto& [i, j] : instance.tokens->closest_candidates(instance.length)) {
    const Rational distance = instance.tokens->squared_distance(i, j);
    if (!separation || distance < *separation) separation = distance;
  }
  return *separation;
}

std::vector<Rational> exact_squared_radii(const Instance& instance, Reading reading, const Rational& squared_distance) {
  const Rational squared_radius = instance.tokens->squared_norm(0), pair_factor = squared_radius - squared_distance / 2;
  std::vector<Rational> result;
  for (const auto& part : reference::radius_parts(instance.selected_weights(), reading))
    result.emplace_back(squared_radius * part.squares + pair_factor * part.pairs);
  return result;
}

}  // namespace attncert::sides
