// d-tilde <= (1-A) d1 + max ||x_j|| [A (L-N) - (1-A)]: Theorem 1's bound without the square (claims.md section 2, (ii)).
// s/A is a convex combination of selected tokens and top-N gives A >= a_i. Attained: x_j = s/A for every selected j and
// every unselected x_i = (1-t) s/A with one t >= 0.
#include "properties/claims/claim.hpp"
#include "properties/claims/sides/selection.hpp"
#include "properties/generators/instances.hpp"

namespace attncert {
namespace {

bool attained(const Instance& instance) {
  SurdSum difference = sides::exact_distance(instance);
  sides::subtract_plain_upper(difference, instance);
  return difference.is_zero();
}

}  // namespace

Claim distance_upper() {
  return {.statement = {.id = "distance-upper",
                        .source = "corrected Theorem 1, (ii)",
                        .section = "2",
                        .text = "The printed bound on d-tilde holds for every top-N set once the square is removed.",
                        .left = "d-tilde = sum over i not in I of ||a_i x_i - s||",
                        .right = "(1-A) d1 + max_{j in I} ||x_j|| [A (L-N) - (1-A)]",
                        .hypotheses = sides::selection_hypotheses(),
                        .lhs = sides::distance,
                        .rhs = sides::plain_upper,
                        .attained = attained,
                        .generate = free_selection,
                        .real = RealRows::selections,
                        .domain = "any tokens, L <= 24, d <= 4; captured rows"},
          .expected = Expected::supported};
}

}  // namespace attncert
