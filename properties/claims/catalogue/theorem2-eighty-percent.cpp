// At most 80% of the selected tokens are separable (arXiv 2508.17821, the "hard limit" read off Theorem 2;
// docs/specification.md#separable-share), for N >= 2. Orthogonal tokens are all separable.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

bool attained(const Instance& instance) {
  return instance.count % 5 == 0 && instance.separable(Precision{}).is(instance.count / 5 * 4);
}

}  // namespace

Claim theorem2_eighty_percent() {
  return {
      .statement =
          {.source = "arXiv 2508.17821, the 80% limit drawn from Theorem 2",
           .section = "7",
           .text = "Of N >= 2 selected tokens at most 80% are geometrically separable.",
           .proof = "Orthogonal tokens of one length M are all separable: with S2 the sum of the squared "
                    "selected weights, f_i^2 = M^2 (S2 - a_i^2) for a selected token and M^2 (S2 + a_j^2) for "
                    "an unselected one, so that N_s = N at every L, N and all weights (more in "
                    "separability-equiangular). Theorem 2 could not yield 80% either: its printed bound is "
                    "never below e^(-1/16) = 0.939.",
           .domain = "distinct tokens on a sphere, L <= 25, d <= 6; captured rows with unit tokens",
           .kind = Sided{.parts = {{.left = "N_s / N",
                                    .right = "4/5",
                                    .lhs = sides::separable_share,
                                    .rhs = sides::constant<4, 5>,
                                    .attained = attained}},
                         .hypotheses = sides::sphere_hypotheses({hypotheses::at_least_two_selected}),
                         .attained_is_cheap = true,
                         .generate = spherical_selection,
                         .known =
                             [] {
                               return known::Instances{known::orthonormal({ratio(1, 2), ratio(1, 4), ratio(1, 4)}, 2)};
                             },
                         .real = RealRows::selections}},
      .expected = Expected::refuted};
}

}  // namespace attncert
