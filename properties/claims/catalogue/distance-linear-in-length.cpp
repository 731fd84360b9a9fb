// d-tilde grows linearly in L at N = 5 while the logits stay bounded in L, arXiv 2508.17821, experiments
// (docs/specification.md#fixed-n), read as "d-tilde >= c L for some c > 0". Refuted along a family: equal tokens and
// equal logits, d-tilde = 4 (L-5)/L < 4, so that L/d-tilde = L^2/(4 (L-5)) exceeds every 1/c.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
Claim distance_linear_in_length() {
  return {
      .statement = {.source = "arXiv 2508.17821, experiments on the distance",
                    .section = "5",
                    .text =
                        "With N = 5 selected tokens and logits bounded in L, d-tilde is at least c L for some c > 0.",
                    .proof = "With a largest ratio R of two values of F, the top N have mass at most NR/(NR+L-N), so "
                             "||s|| is at most M times that, and each of the L-N unselected tokens is at most "
                             "a_i M + ||s|| from s. The sum is at most M [1 + (L-N-1) NR/(NR+L-N)], below "
                             "M (1 + NR) for every L: the distance is bounded (distance-cap-fixed-n). It looks "
                             "linear while L is small beside NR, and at every L only where one weight does not "
                             "fall with L (distance-linear-with-sink).",
                    .domain = "all L = n >= 10, by polynomials in n; members at L = 10, 20, 40, ..., 655360",
                    .kind = Families{.left = "L / d-tilde along a family with N = 5 and equal logits",
                                     .right = "any constant 1/c",
                                     .families =
                                         {{.quantity = "L/sum(i not in I: |a_i x_i - s|)",
                                           .forms = {.name = "equal-weights",
                                                     .first = 10,
                                                     .tokens = {{{5}, true, {{"a", {{1}, {0, 1}}}, {"x", {{1}}}}},
                                                                {{-5, 1}, false, {{"a", {{1}, {0, 1}}}, {"x", {{1}}}}}},
                                                     .numbers = {{"B", {{1}}}, {"M", {{1}}}},
                                                     .value = {{0, 0, 1}, {-20, 4}},
                                                     .given = sides::given_top_weights(
                                                         {"N = 5 and a_i > 0 and max(i: a_i) <= B min(i: a_i) and M > "
                                                          "0 and |x_i| = M"}),
                                                     .constant = {"B", "M"}},
                                           .value = sides::length_over_one_dimensional_distance}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert
