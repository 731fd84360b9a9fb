#include "reference/bounds/selection.hpp"

#include "reference/exact_rows.hpp"

namespace attncert::reference {

Selection selection(std::span<const Interval> tokens, std::size_t dimension, std::span<const Interval> weights,
                    const std::vector<bool>& is_selected, Precision precision) {
  const std::size_t length = weights.size();
  ATTNCERT_ASSERT(tokens.size() == length * dimension && is_selected.size() == length);
  const Interval zero(0.0, precision);
  const auto token = [&](std::size_t i) { return tokens.subspan(i * dimension, dimension); };

  std::vector<Interval> s(dimension, zero), rest = s;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Interval>& sum = is_selected[i] ? s : rest;
    for (std::size_t k = 0; k < dimension; ++k) sum[k] += weights[i] * tokens[i * dimension + k];
  }

  Selection result{{},   {},           s,           rest, sqrt(sum_of_squares(s, precision)), zero, zero, zero,
                   zero, std::nullopt, std::nullopt};
  const Interval two(2.0, precision);
  result.f.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    result.f.push_back(sqrt(squared_distance_scaled(weights[i], token(i), s, precision)));
    const Interval squared_norm = sum_of_squares(token(i), precision), norm = sqrt(squared_norm);
    result.excess.push_back(weights[i] * (weights[i] * squared_norm - two * dot(token(i), s, precision)));
    result.largest = max(result.largest, norm);
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

std::vector<RadiusParts> radius_parts(std::span<const Rational> selected_weights, Reading reading) {
  const Rational mass = sum(selected_weights), squares = sum_of_squares(selected_weights);
  std::vector<RadiusParts> parts;
  for (const Rational& a : selected_weights) {
    const Rational others = mass - a, other_squares = squares - a * a;
    Rational pairs = others * others - other_squares;  // over ordered pairs j != k, both != i
    if (reading == Reading::literal) pairs += a * others;
    parts.push_back({other_squares, pairs});
  }
  return parts;
}

std::vector<Interval> squared_radii(std::span<const Rational> selected_weights, Reading reading,
                                    const Interval& squared_radius, const Interval& squared_separation,
                                    Precision precision) {
  const Interval pair_factor = squared_radius - squared_separation * Interval(0.5, precision);
  std::vector<Interval> result;
  for (const RadiusParts& part : radius_parts(selected_weights, reading)) {
    const Interval square =
        squared_radius * Interval(part.squares, precision) + pair_factor * Interval(part.pairs, precision);
    result.push_back(max(square, Interval(0.0, precision)));
  }
  return result;
}

}  // namespace attncert::reference
