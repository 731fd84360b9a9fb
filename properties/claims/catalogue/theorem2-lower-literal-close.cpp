// 1 - N_s/N <= (1/(r N)) sum xi_i with k = i allowed in xi_i, where delta <= sqrt 2 M (docs/specification.md#theorem2):
// the extra pairs then carry M^2 - delta^2/2 >= 0, so that xi_i only grows.
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Truth close_tokens(const Instance& instance) {
  return truth(sides::exact_squared_separation(instance) <= 2 * instance.tokens->squared_norm(0));
}

}  // namespace

Claim theorem2_lower_literal_close() {
  return {
      .statement = {.source = "arXiv 2508.17821, Theorem 2, lower bound, k = i allowed, tokens close together",
                    .section = "6",
                    .text = "With k = i allowed the lower bound on N_s/N holds for a separation of at most "
                            "sqrt 2 M.",
                    .proof = "Allowing k = i adds the pairs a_j a_i, j != i, to xi_i^2, with the factor M^2 - "
                             "delta^2/2, which is not negative for delta <= sqrt 2 M. Every xi_i is then at least that "
                             "of theorem2-lower, whose inequality therefore holds all the more.",
                    .domain = "distinct tokens on a sphere, L <= 25, d <= 8; captured rows with unit tokens",
                    .kind = Sided{.left = "1 - N_s / N",
                                  .right = "(1/(r N)) sum over i in I of xi_i, k = i allowed",
                                  .hypotheses = sides::sphere_hypotheses(
                                      {hypotheses::positive_radius, {"delta <= sqrt 2 M", close_tokens}}),
                                  .lhs = sides::inseparable_share,
                                  .rhs = sides::mean_radius<sides::Reading::literal>,
                                  .attained = sides::radius_share_is_separable_share<sides::Reading::literal>,
                                  .generate = axial_selection,
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
