// E d-tilde = ((L-N)/L) sum ||(a_i + N/(L-1)) x_i - xbar||^2 over a uniformly random index set, arXiv 2508.17821,
// Theorem 1's expectation with eps = 0 (docs/specification.md#expected-distance), as |difference| <= 0. The left side
// is of degree 1 in the tokens and the right of degree 2, so the difference has either sign.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/subsets.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  return abs(sides::expected_distance(instance, precision) - Interval(sides::printed_expectation(instance), precision));
}

bool attained(const Instance& instance) {
  return sides::exact_expected_distance(instance) == SurdSum(sides::printed_expectation(instance), 1);
}

}  // namespace

Claim theorem1_expectation_main_term() {
  return {
      .statement = {.source = "arXiv 2508.17821, Theorem 1, expectation with eps = 0",
                    .section = "3",
                    .text = "Over a uniformly random index set E d-tilde equals the printed main term.",
                    .proof = "The left side is of degree 1 in the tokens and the right side of degree 2, so that their "
                             "quotient takes every positive value by scaling alone: L = 2, N = 1, a = (1/2, 1/2), x = "
                             "(t, -t) gives t against 9 t^2/4. Moreover the mean of s, given that i is not selected, "
                             "is (N/(L-1)) (xbar - a_i x_i), so the vector inside the norm should be (1 + N/(L-1)) a_i "
                             "x_i - (N/(L-1)) xbar. What holds: expected-squared-distance and "
                             "expected-distance-sandwich.",
                    .domain = "any tokens, all index sets of N, 2 <= L <= 8, d <= 4; captured rows of 8 keys",
                    .kind =
                        Sided{.parts = {{.left = "|E d-tilde - ((L-N)/L) sum ||(a_i + N/(L-1)) x_i - xbar||^2|",
                                         .right = "0",
                                         .lhs = lhs,
                                         .rhs = sides::constant<0>,
                                         .attained = attained}},
                              .hypotheses = sides::random_subset_hypotheses(),
                              .generate = free_selection,
                              .known =
                                  [] {
                                    return known::Instances{known::selection({ratio(1, 2), ratio(1, 2)}, 1, {1, 1}, 1)};
                                  },
                              .real = RealRows::selections}},
      .expected = Expected::refuted};
}

}  // namespace attncert
