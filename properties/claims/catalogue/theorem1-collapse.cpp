// N = Theta(L) implies d-tilde -> 0, arXiv 2508.17821, corollary of Theorem 1 (docs/specification.md#collapse). Refuted
// along a family: equal tokens, equal weights, half of them selected; d-tilde = (L - N)(N - 1)/L = (L - 2)/4 grows
// without bound.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
Claim theorem1_collapse() {
  return {
      .statement = {.source = "arXiv 2508.17821, corollary of Theorem 1",
                    .section = "4",
                    .text = "When the number of selected tokens grows like L, the distance d-tilde tends to 0.",
                    .proof = "Equal tokens x_i = 1, equal weights 1/L and N = L/2: s = N/L, each unselected token lies "
                             "at the distance (N-1)/L from it, and d-tilde = (L-N)(N-1)/L = (L-2)/4 grows without "
                             "bound. Theorem 1 does not suggest the corollary either: at N = c L its bound grows like "
                             "c (1-c) L. What is true is mean-distance-limit: the mean distance vanishes exactly where "
                             "||s|| does. Only N -> L empties the sum.",
                    .domain = "all L = 2 n, by polynomials in n; members at n = 1, 2, 4, ..., 2^19",
                    .kind = Families{.left = "d-tilde along a family with N = L/2",
                                     .right = "any sequence that tends to 0",
                                     .families =
                                         {{.quantity = "sum(i not in I: |a_i x_i - s|)",
                                           .forms = {.name = "equal-tokens",
                                                     .tokens = {{{0, 1}, true, {{"a", {{1}, {0, 2}}}, {"x", {{1}}}}},
                                                                {{0, 1}, false, {{"a", {{1}, {0, 2}}}, {"x", {{1}}}}}},
                                                     .numbers = {{"B", {{1}}}, {"c", {{ratio(1, 2)}}}},
                                                     .value = {{ratio(-1, 2), ratio(1, 2)}},
                                                     .given = sides::given_top_weights(
                                                         {"c > 0 and N = c L and |x_i| <= B"}),
                                                     .constant = {"c", "B"}},
                                           .value = sides::one_dimensional_distance}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert
