// Sides and hypotheses that the claims of Theorem 2 share (docs/specification.md#theorem2 and #separable-share), in
// both readings of xi_i.
#pragma once

#include <vector>

#include "properties/claims/claim.hpp"
#include "reference/bounds/selection.hpp"

namespace attncert::sides {

// The selection's, N <= L-1, one sphere, distinct tokens, and more: r > 0, which Theorem 2's two bounds speak of.
Hypotheses sphere_hypotheses(Hypotheses more = {});

using reference::Reading;

Interval separable_share(const Instance& instance, Precision precision);   // N_s / N, exact up to one rounding
const Interval& threshold(const Instance& instance, Precision precision);  // r
std::vector<Interval> radii(const Instance& instance, Reading reading, Precision precision);  // xi_i, i in I

// Theorem 2's lower bound, N_s/N >= 1 - (1/(r N)) sum xi_i, with the signs turned, so that the quotient of the sides
// says how near an instance without separable tokens comes; and whether both sides are equal exactly.
Interval inseparable_share(const Instance& instance, Precision precision);
Interval mean_radius(const Instance& instance, Reading reading, Precision precision);  // in units of r
bool radius_share_is_separable_share(const Instance& instance, Reading reading);

// As sides of a claim.
template <Reading reading>
Interval mean_radius(const Instance& instance, Precision precision) {
  return mean_radius(instance, reading, precision);
}
template <Reading reading>
bool radius_share_is_separable_share(const Instance& instance) {
  return radius_share_is_separable_share(instance, reading);
}

// Exact squares, for equality: delta^2, M^2 sum a_j^2 + (M^2 - distance^2/2) sum a_j a_k before it is clamped (xi_i^2
// for distance = delta, i in I).
Rational exact_squared_separation(const Instance& instance);
std::vector<Rational> exact_squared_radii(const Instance& instance, Reading reading, const Rational& squared_distance);

}  // namespace attncert::sides
