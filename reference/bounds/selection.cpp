#include "reference/bounds/selection.hpp"

namespace attncert::reference {

Selection selection(std::span<const Interval> tokens, std::size_t dimension, std::span<const Interval> weights,
                    const std::vector<bool>& is_selected, Precision precision) {
  const std::size_t length = weights.size();
  ATTNCERT_ASSERT(tokens.size() == length * dimension && is_selected.size() == length);
  const Interval zero(0.0, precision);
  const auto token = [&](std::size_t i) { return tokens.subspan(i * dimension, dimension); };

  std::vector<Interval> s(dimension, zero);
  for (std::size_t i = 0; i < length; ++i) {
    if (!is_selected[i]) continue;
    for (std::size_t k = 0; k < dimension; ++k) s[k] += weights[i] * tokens[i * dimension + k];
  }

  Selection result{{}, {}, sqrt(sum_of_squares(s, precision)), zero, zero, zero, std::nullopt, std::nullopt};
  const Interval two(2.0, precision);
  result.f.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    result.f.push_back(sqrt(squared_distance_scaled(weights[i], token(i), s, precision)));
    const Interval squared_norm = sum_of_squares(token(i), precision), norm = sqrt(squared_norm);
    result.excess.push_back(weights[i] * (weights[i] * squared_norm - two * dot(token(i), s, precision)));
    if (is_selected[i]) {
      result.largest_selected = max(result.largest_selected, norm);
    } else {
      result.distance += result.f[i];
      result.unselected_mass += weights[i] * norm;
      result.r = result.r ? min(*result.r, result.f[i]) : result.f[i];
      result.smallest_excess =
          result.smallest_excess ? min(*result.smallest_excess, result.excess[i]) : result.excess[i];
    }
  }
  return result;
}

std::vector<Interval> separability_radii(std::span<const Rational> selected_weights, const Interval& squared_radius,
                                         const Interval& squared_separation, Precision precision) {
  Rational mass = 0, squares = 0;
  for (const Rational& a : selected_weights) {
    mass += a;
    squares += a * a;
  }
  const Interval zero(0.0, precision);
  const Interval pair_factor = squared_radius - squared_separation * Interval(0.5, precision);
  std::vector<Interval> radii;
  radii.reserve(selected_weights.size());
  for (const Rational& a : selected_weights) {
    const Rational others = mass - a, other_squares = squares - a * a;
    const Rational pairs = others * others - other_squares;  // sum over ordered pairs j != k
    const Interval square =
        squared_radius * Interval(other_squares, precision) + pair_factor * Interval(pairs, precision);
    radii.push_back(sqrt(max(square, zero)));
  }
  return radii;
}

}  // namespace attncert::reference
