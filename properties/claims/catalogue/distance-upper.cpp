// d-tilde <= (1-A) d1 + max ||x_j|| [A (L-N) - (1-A)]: Theorem 1's bound without the square
// (docs/specification.md#theorem1, (ii)). s/A is a convex combination of selected tokens and top-N gives A >= a_i.
// Attained: x_j = s/A for every selected j and every unselected x_i = (1-t) s/A with one t >= 0.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

bool attained(const Instance& instance) {
  return sides::exact_distance(instance) == sides::exact_plain_upper(instance);
}

}  // namespace

Claim distance_upper() {
  return {
      .statement = {.source = "corrected Theorem 1, (ii)",
                    .section = "2",
                    .text = "The printed bound on d-tilde holds for every top-N set once the square is removed.",
                    .proof = "Start from distance-split. xhat = s/A is a convex combination of selected tokens, so "
                             "||x_i - xhat|| <= d1 and ||xhat|| <= max ||x_j|| over I; the unselected weights sum to 1 "
                             "- A. I holds the N largest weights, hence a_i <= A outside of I, and the sum of |A - "
                             "a_i| over the L-N unselected tokens is A (L-N) - (1-A). Equality: all selected x_j are "
                             "xhat and all unselected x_i are (1-t) xhat with one t >= 0; for example L = 2, N = 1, a "
                             "= (3/4, 1/4), x = (1, -1), where both sides are 1.",
                    .domain = "any tokens, L <= 24, d <= 4; captured rows",
                    .kind = Sided{.parts = {{.left = "d-tilde = sum over i not in I of ||a_i x_i - s||",
                                             .right = "(1-A) d1 + max_{j in I} ||x_j|| [A (L-N) - (1-A)]",
                                             .lhs = sides::distance,
                                             .rhs = sides::plain_upper,
                                             .attained = attained}},
                                  .hypotheses = sides::selection_hypotheses(),
                                  .generate = free_selection,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1),
                                            known::selection({ratio(5, 7), ratio(2, 7)}, 2,
                                                             {ratio(1, 3), ratio(1, 3), ratio(-2, 21), ratio(-2, 21)},
                                                             1),
                                            known::selection({ratio(3, 8), ratio(3, 8), ratio(1, 8), ratio(1, 8)}, 1,
                                                             {1, 1, -1, -1}, 2)};
                                      },
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
