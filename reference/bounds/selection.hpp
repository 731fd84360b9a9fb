// The geometry of a selection (arXiv 2508.17821, Theorem 1): with the selected set I and weights a_i,
//   s = sum_{i in I} a_i x_i,   f_i = ||a_i x_i - s||_2,   d-tilde = sum_{i not in I} f_i,   r = min_{i not in I} f_i.
// Evaluated once per instance and precision; every distance and separability claim reads it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "reference/interval.hpp"

namespace attncert::reference {

struct Selection {
  std::vector<Interval> f;  // of every token
  std::vector<Interval>
      excess;  // f_i^2 - ||s||^2 = a_i (a_i ||x_i||^2 - 2 x_i . s): orders the f_i without cancellation
  std::vector<Interval> s, rest;            // s, and sum_{i not in I} a_i x_i
  Interval norm_s;                          // ||s||
  Interval distance;                        // d-tilde; the point 0 when nothing is unselected
  Interval unselected_mass;                 // sum_{i not in I} a_i ||x_i||
  Interval largest_selected;                // max_{j in I} ||x_j||
  Interval largest;                         // max ||x_i|| over all tokens
  std::optional<Interval> r;                // none when nothing is unselected (r = +inf)
  std::optional<Interval> smallest_excess;  // r^2 - ||s||^2
};

// tokens: row-major L x d; weights: L; is_selected: L, at least one true.
Selection selection(std::span<const Interval> tokens, std::size_t dimension, std::span<const Interval> weights,
                    const std::vector<bool>& is_selected, Precision precision);

// Theorem 2's xi_i^2 (docs/specification.md#theorem2), for every selected i in turn:
//   M^2 sum_{j in I, j != i} a_j^2 + (M^2 - delta^2/2) sum_{j != k in I, j != i} a_j a_k,
// with k != i as well, or with k = i allowed, as the double sum is printed. Weights enter by exact sums.
enum class Reading { distinct, literal };
struct RadiusParts {
  Rational squares, pairs;  // the two sums
};
std::vector<RadiusParts> radius_parts(std::span<const Rational> selected_weights, Reading reading);

// xi_i^2 clamped at 0; with the largest squared distance in place of the smallest it is eta_i^2, the lower counterpart.
std::vector<Interval> squared_radii(std::span<const Rational> selected_weights, Reading reading,
                                    const Interval& squared_radius, const Interval& squared_separation,
                                    Precision precision);

}  // namespace attncert::reference
