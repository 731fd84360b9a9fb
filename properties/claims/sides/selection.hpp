// Sides that the distance claims of section 2 share: enclosures, and the exact sums behind `attained`.
#pragma once

#include <vector>

#include "properties/claims/claim.hpp"
#include "reference/surd.hpp"

namespace attncert::sides {

std::vector<Hypothesis> selection_hypotheses();  // 1 <= N <= L, weights on the simplex, a top-N set

Interval distance(const Instance& instance, Precision precision);             // d-tilde
Interval unselected_times_d1(const Instance& instance, Precision precision);  // (1-A) d1
Interval bracket(const Instance& instance, Precision precision);              // A (L-N) - (1-A), from exact numbers

Rational exact_bracket(const Instance& instance);
Rational exact_largest_selected_square(const Instance& instance);  // max_{j in I} ||x_j||^2
SurdSum exact_distance(const Instance& instance);                  // d-tilde as a sum of square roots
void subtract_d1_term(SurdSum& sum, const Instance& instance);     // - (1-A) d1

}  // namespace attncert::sides
