// "No normalization rule can be sharp, stable and long-context": arXiv 2508.17821, not formalized there
// (docs/specification.md#tradeoff). Read as: a rule with one l_2 Lipschitz constant for every L, on logits in one
// bounded interval, has weights that tend to 0. Sparsemax refutes it: as the projection on a convex set it is
// 1-Lipschitz at every L, and (1, 0, .., 0) keeps the weight 1.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
Claim selectivity_stability_tradeoff() {
  return {
      .statement = {.source = "arXiv 2508.17821, the trade-off between selectivity and stability",
                    .section = "11",
                    .text = "A rule with one l_2 Lipschitz constant for all L, on bounded logits, keeps no weight away "
                            "from 0 as L grows.",
                    .proof = "Sparsemax is the Euclidean projection onto the simplex: 1-Lipschitz in l_2 at every L, "
                             "and the identity on the simplex, so that (1, 0, .., 0) keeps its weight 1. For a gap g, "
                             "sparsemax(./g) does the same with the constant 1/g. What every permutation-equivariant "
                             "rule does pay is K g >= 1 - eta L/(L-1), which does not grow with L "
                             "(sharpness-needs-gain); it is softmax whose constant must grow like log L "
                             "(softmax-sharpness-needs-log-length).",
                    .domain = "all L = n >= 2, by polynomials in n; members at L = 2, 4, ..., 2^20",
                    .kind =
                        Families{.left = "L a_1 of sparsemax, which is 1-Lipschitz for every L, at (1, 0, ..., 0)",
                                 .right = "any constant C",
                                 .families = {{.quantity = "L a_first",
                                               .forms = sides::one_token_sparsemax("sharp-and-stable", {"a_first = 1"}),
                                               .value = sides::length_times_first_sparsemax_weight}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert
