// 1 - (1/(r N)) sum xi_i <= N_s / N, arXiv 2508.17821, Theorem 2, lower bound, reading k != i
// (docs/specification.md#theorem2). True with certainty: a_i x_i - s = -sum_{j != i} a_j x_j has norm at most xi_i.
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {

Claim theorem2_lower() {
  return {
      .statement = {.source = "arXiv 2508.17821, Theorem 2, lower bound, reading k != i",
                    .section = "6",
                    .text = "The share N_s/N of separable tokens is at least 1 - (1/(rN)) sum xi_i.",
                    .proof = "For a selected i, a_i x_i - s = -(sum of a_j x_j over the other selected j). On the "
                             "sphere x_j.x_k = M^2 - ||x_j - x_k||^2/2 <= M^2 - delta^2/2 for j != k, so multiplying "
                             "out the square gives f_i <= xi_i. A token that is not separable has r < f_i <= xi_i and "
                             "adds more than 1 to sum xi_i/r; hence 1 - N_s/N <= (1/(r N)) sum xi_i. No randomness is "
                             "used: the inequality holds for every instance, and so in the mean under any law, with r "
                             "inside of the mean.",
                    .domain = "distinct tokens on a sphere, L <= 25, d <= 6; captured rows with unit tokens",
                    .kind = Sided{.left = "1 - (1/(r N)) sum over i in I of xi_i",
                                  .right = "N_s / N",
                                  .hypotheses = sides::sphere_hypotheses({hypotheses::positive_radius}),
                                  .lhs = sides::radius_share<sides::Reading::distinct>,
                                  .rhs = sides::separable_share,
                                  .attained = sides::radius_share_is_separable_share<sides::Reading::distinct>,
                                  .generate = spherical_selection,
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
