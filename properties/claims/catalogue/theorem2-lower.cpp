// 1 - (1/(r N)) sum xi_i <= N_s / N, arXiv 2508.17821, Theorem 2, lower bound, reading k != i
// (docs/specification.md#theorem2). True with certainty: a_i x_i - s = -sum_{j != i} a_j x_j has norm at most xi_i.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

// N = 2 of three tokens on a circle, the third one nearly the first, a = (1, e, 0.9 e): one token is separable and xi
// is (e, 1).
known::Instances third_near_first() {
  const Rational t = power_of_two(-100), e = power_of_two(-40), square = t * t;
  const known::Row tokens = {1, 0, 0, 1, (1 - square) / (1 + square), 2 * t / (1 + square)};
  const known::Row weights = normalized({1, e, ratio(9, 10) * e});
  return {known::selection(weights, 2, tokens, 2), known::on_a_circle(weights, tokens, 2, 48)};
}

}  // namespace

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
                    .kind =
                        Sided{.parts = {{.left = "1 - N_s / N",
                                         .right = "(1/(r N)) sum over i in I of xi_i",
                                         .lhs = sides::inseparable_share,
                                         .rhs = sides::mean_radius<sides::Reading::distinct>,
                                         .attained = sides::radius_share_is_separable_share<sides::Reading::distinct>}},
                              .hypotheses = sides::sphere_hypotheses({hypotheses::positive_radius}),
                              .generate = spherical_selection,
                              .known = third_near_first,
                              .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
