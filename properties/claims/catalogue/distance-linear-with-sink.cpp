// d-tilde grows linearly in L at N = 5 along the family with a sink, a first weight of 1/2 at every L
// (docs/specification.md#fixed-n): with equal tokens d-tilde/L = (L-5)(L+2)/(2 L (L-1)), which rises from 15/56 at L =
// 8 to 1/2.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
Claim distance_linear_with_sink() {
  return {
      .statement =
          {.source = "arXiv 2508.17821, experiments on the distance, with a sink",
           .section = "5",
           .text =
               "With N = 5 selected tokens, one of weight 1/2 at every L, d-tilde of equal tokens grows linearly in L.",
           .proof = "The sink is among the selected, so ||s|| stays above 1/2 while every unselected weight "
                    "is at most 1/(2(L-1)): the L-5 unselected tokens are each nearly ||s|| from s, and "
                    "d-tilde is (L-5) ||s|| up to one token norm (distance-two-sided). A weight of 1/2 at "
                    "every L needs a logit that rises like log L (softmax-mass-needs-range), which bounded "
                    "logits exclude.",
           .domain = "all L = n >= 8, by polynomials in n; members at L = 8, 16, ..., 2^20",
           .kind =
               Families{.left = "d-tilde / L along a family with N = 5 and a sink",
                        .right = "between 15/56 and 1/2",
                        .proves = true,
                        .families = {{.quantity = "sum(i not in I: |a_i x_i - s|)/L",
                                      .forms = {.name = "sink",
                                                .first = 8,
                                                .tokens = {{{1}, true, {{"a", {{ratio(1, 2)}}}, {"x", {{1}}}}},
                                                           {{4}, true, {{"a", {{1}, {-2, 2}}}, {"x", {{1}}}}},
                                                           {{-5, 1}, false, {{"a", {{1}, {-2, 2}}}, {"x", {{1}}}}}},
                                                .value = {{-10, -3, 1}, {0, -2, 2}},
                                                .given = sides::given_top_weights(
                                                    {"N = 5 and L >= 8",
                                                     "a_first = 1/2 and min(i != first: a_i) = max(i != first: a_i)",
                                                     "x_i = 1"})},
                                      .value = sides::one_dimensional_distance_over_length,
                                      .least = ratio(15, 56),
                                      .most = ratio(1, 2)}}}},
      .expected = Expected::proved};
}

}  // namespace attncert
