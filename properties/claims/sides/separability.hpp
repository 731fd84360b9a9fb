// Sides and hypotheses that the claims of Theorem 2 share (claims.md sections 6 and 7), reading k != i.
#pragma once

#include <vector>

#include "properties/claims/claim.hpp"

namespace attncert::sides {

std::vector<Hypothesis> sphere_hypotheses();              // the selection's, N <= L-1, one sphere, distinct tokens
std::vector<Hypothesis> sphere_hypotheses_with_radius();  // and r > 0, which Theorem 2's two bounds speak of

Interval separable_share(const Instance& instance, Precision precision);     // N_s / N, exact up to one rounding
std::vector<Interval> radii(const Instance& instance, Precision precision);  // xi_i of the selected tokens
const Interval& threshold(const Instance& instance, Precision precision);    // r

// Exact squares, for equality: xi_i^2 of the selected tokens, and r^2.
std::vector<Rational> exact_squared_radii(const Instance& instance);
Rational exact_squared_threshold(const Instance& instance);

}  // namespace attncert::sides
