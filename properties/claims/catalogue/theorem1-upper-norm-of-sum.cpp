// ||sum over i not in I of (a_i x_i - s)|| <= (1-A) d1 + max ||x_j|| [A (L-N) - (1-A)]: Theorem 1 of arXiv 2508.17821
// with the norm outside the sum, as one public review writes it, and without the square
// (docs/specification.md#theorem1). The left side is at most d-tilde.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

bool attained(const Instance& instance) {
  const Rational square = sides::exact_squared_norm(instance, sides::sum_of_differences(instance));
  return SurdSum(1, square) == sides::exact_plain_upper(instance);
}

}  // namespace

Claim theorem1_upper_norm_of_sum() {
  return {
      .statement = {.source = "arXiv 2508.17821, Theorem 1, upper bound, norm of the summed differences",
                    .section = "2",
                    .text = "The norm of the sum of all a_i x_i - s is bounded by the right side without a square.",
                    .proof = "The norm of a sum is at most the sum of the norms, so the left side is at most d-tilde, "
                             "and d-tilde is at most the right side by distance-upper. The left side is ||xbar - "
                             "(L-N+1) s||, as in distance-lower.",
                    .domain = "any tokens, L <= 24, d <= 4; captured rows",
                    .kind = Sided{.parts = {{.left = "||sum over i not in I of (a_i x_i - s)||",
                                             .right = "(1-A) d1 + max_{j in I} ||x_j|| [A (L-N) - (1-A)]",
                                             .lhs = sides::norm_of_differences,
                                             .rhs = sides::plain_upper,
                                             .attained = attained}},
                                  .hypotheses = sides::selection_hypotheses(),
                                  .generate = free_selection,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1),
                                            known::selection({ratio(3, 8), ratio(3, 8), ratio(1, 8), ratio(1, 8)}, 1,
                                                             {1, 1, -1, -1}, 2)};
                                      },
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
