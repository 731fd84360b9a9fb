// Some positive share of N >= 2 selected tokens is always separable, drawn from Theorem 2 of arXiv 2508.17821
// (docs/specification.md#separable-share). The smallest positive share is one token of N, so an instance with N_s = 0
// refutes every floor at once.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) { return Interval(ratio(1, instance.count), precision); }

bool attained(const Instance& instance) { return instance.separable(Precision{}).is(1); }

}  // namespace

Claim separability_floor() {
  return {
      .statement = {.source = "arXiv 2508.17821, the floor drawn from Theorem 2",
                    .section = "7",
                    .text = "Of N >= 2 selected tokens some positive share is always geometrically separable.",
                    .proof = "Tokens (3/5, 4/5), (3/5, -4/5), (1, 0) on the unit circle with weights (7, 7, 6)/20 and "
                             "N = 2: s = (21/50, 0), both selected tokens lie 7/20 from s, and the unselected one lies "
                             "r = 21/50 - 6/20 = 3/25 from it. So N_s = 0. For N >= 2 the sharp range of N_s/N that "
                             "holds for all instances is [0, 1]; only N = 1 always gives 1.",
                    .domain = "distinct tokens on a sphere, L <= 25, d <= 8; captured rows with unit tokens",
                    .kind = Sided{.parts = {{.left = "1 / N, the smallest positive share",
                                             .right = "N_s / N",
                                             .lhs = lhs,
                                             .rhs = sides::separable_share,
                                             .attained = attained}},
                                  .hypotheses = sides::sphere_hypotheses({hypotheses::at_least_two_selected}),
                                  .attained_is_cheap = true,
                                  .generate = axial_selection,
                                  .known =
                                      [] {
                                        return known::Instances{known::selection(
                                            {ratio(7, 20), ratio(7, 20), ratio(6, 20)}, 2,
                                            {ratio(3, 5), ratio(4, 5), ratio(3, 5), ratio(-4, 5), 1, 0}, 2)};
                                      },
                                  .real = RealRows::selections}},
      .expected = Expected::refuted};
}

}  // namespace attncert
