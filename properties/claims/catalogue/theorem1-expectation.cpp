// E d-tilde = ((L-N)/L) sum ||(a_i + N/(L-1)) x_i - xbar||^2 + eps over a uniformly random index set, arXiv 2508.17821,
// Theorem 1, expectation (docs/specification.md#expected-distance). Nothing is said of eps, so that every number
// agrees: the right side is the whole line at every instance, which is what the search finds. With eps = 0 it is
// theorem1-expectation-main-term.
#include "properties/claims/catalogue/sides/subsets.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval rhs(const Instance& instance, Precision precision) {
  return Interval(sides::printed_expectation(instance), precision) + Interval::whole_line(precision);
}

bool attained(const Instance&) { return false; }

}  // namespace

Claim theorem1_expectation() {
  return {
      .statement = {.source = "arXiv 2508.17821, Theorem 1, expectation",
                    .section = "3",
                    .text = "Over a uniformly random index set E d-tilde equals the printed main term plus eps, of "
                            "which nothing is said.",
                    .proof = "eps is neither given nor bounded, so the equation defines it and no instance can "
                             "contradict it. With eps = 0 it is theorem1-expectation-main-term, which is false. What "
                             "holds is expected-squared-distance, exactly, and expected-distance-sandwich, which "
                             "bounds the distance of E d-tilde from the sum of the norms m_i that seems to be meant.",
                    .domain = "none: eps is not specified, and any value of it agrees",
                    .kind = Sided{.parts = {{.left = "E d-tilde",
                                             .right = "((L-N)/L) sum ||(a_i + N/(L-1)) x_i - xbar||^2 + eps",
                                             .relation = Relation::equal,
                                             .lhs = sides::expected_distance,
                                             .rhs = rhs,
                                             .attained = attained,
                                             .open = "eps"}},
                                  .hypotheses = sides::random_subset_hypotheses(),
                                  .generate = free_selection}},
      .expected = Expected::vacuous};
}

}  // namespace attncert
