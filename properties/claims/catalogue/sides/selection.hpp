// Sides that the distance claims share (docs/specification.md#theorem1): enclosures, and the exact sums behind
// `attained`.
#pragma once

#include <vector>

#include "properties/claims/claim.hpp"
#include "reference/surd.hpp"

namespace attncert::sides {

Hypotheses any_selection_hypotheses(Hypotheses more = {});  // 1 <= N <= L, weights on the simplex, and more
Hypotheses selection_hypotheses(Hypotheses more = {});      // of a top-N set

Interval distance(const Instance& instance, Precision precision);             // d-tilde
Interval unselected_times_d1(const Instance& instance, Precision precision);  // (1-A) d1
Interval bracket(const Instance& instance, Precision precision);              // A (L-N) - (1-A), from exact numbers

// (1-A) d1 + max_{j in I} ||x_j|| [A (L-N) - (1-A)]: Theorem 1's right side without the square
Interval plain_upper(const Instance& instance, Precision precision);

// d-tilde - (L-N) ||s||. Where ||s|| > 0 the difference is summed as f_i - ||s|| = (f_i^2 - ||s||^2) / (f_i + ||s||):
// sharp heads leave the unselected tokens weights far below the rounding of d-tilde itself.
Interval distance_beyond_context(const Instance& instance, Precision precision);
bool distance_beyond_context_is(const Instance& instance, const SurdSum& x);  // exactly
bool context_beyond_distance_is(const Instance& instance, const SurdSum& x);  // (L-N) ||s|| - d-tilde

// `selected` sum_{i in I} a_i x_i + `unselected` sum_{i not in I} a_i x_i, the linear forms of
// docs/specification.md#theorem1: s is (1, 0), xbar is (1, 1), and sum_{i not in I} (a_i x_i - s) = xbar - (L-N+1) s is
// (-(L-N), 1).
struct Mixture {
  Rational selected, unselected;
};
Interval mixed_norm(const Instance& instance, const Mixture& mixture, Precision precision);
Mixture sum_of_differences(const Instance& instance);  // sum_{i not in I} (a_i x_i - s)
Interval norm_of_differences(const Instance& instance, Precision precision);

Rational exact_largest_square(const Instance& instance);  // max ||x_i||^2 over all tokens

Rational outside(const Instance& instance);  // L - N
Rational exact_squared_norm(const Instance& instance, const Mixture& mixture);
Rational exact_bracket(const Instance& instance);
Rational exact_largest_selected_square(const Instance& instance);  // max_{j in I} ||x_j||^2
SurdSum exact_distance(const Instance& instance);                  // d-tilde as a sum of square roots
SurdSum exact_d1_term(const Instance& instance);                   // (1-A) d1
SurdSum exact_plain_upper(const Instance& instance);

}  // namespace attncert::sides
