// 1 - N_s/N <= (1/(r N)) sum xi_i with k = i allowed in xi_i, where delta <= sqrt 2 M (docs/specification.md#theorem2):
// the extra pairs then carry M^2 - delta^2/2 >= 0, so that xi_i only grows.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

Truth close_tokens(const Instance& instance) {
  return truth(sides::exact_squared_separation(instance) <= 2 * instance.tokens->squared_norm(0));
}

// N = 2 of three tokens on a circle, the third one nearly the first, a = (1, e, 0.9 e): one token is separable and xi
// is about (sqrt e, 1).
known::Instances third_near_first() {
  const Rational t = power_of_two(-100), e = power_of_two(-80), square = t * t;
  const known::Row tokens = {1, 0, 0, 1, (1 - square) / (1 + square), 2 * t / (1 + square)};
  const known::Row weights = normalized({1, e, ratio(9, 10) * e});
  return {known::selection(weights, 2, tokens, 2), known::on_a_circle(weights, tokens, 2, 48)};
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
                    .kind =
                        Sided{.parts = {{.left = "1 - N_s / N",
                                         .right = "(1/(r N)) sum over i in I of xi_i, k = i allowed",
                                         .lhs = sides::inseparable_share,
                                         .rhs = sides::mean_radius<sides::Reading::literal>,
                                         .attained = sides::radius_share_is_separable_share<sides::Reading::literal>}},
                              .hypotheses = sides::sphere_hypotheses(
                                  {hypotheses::positive_radius, {"delta <= sqrt 2 M", close_tokens}}),
                              .generate = axial_selection,
                              .known = third_near_first,
                              .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
