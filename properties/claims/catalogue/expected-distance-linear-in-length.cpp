// E d-tilde over a uniformly random index set grows linearly in L, arXiv 2508.17821, experiments on the distance
// (docs/specification.md#expected-distance), read as "E d-tilde >= c L for some c > 0 at N = 5". Refuted along a
// family: equal tokens and equal weights, for which every index set has the same d-tilde = 4 (L-5)/L < 4.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {

Claim expected_distance_linear_in_length() {
  return {
      .statement =
          {.source = "arXiv 2508.17821, experiments on the expected distance",
           .section = "3",
           .text = "With N = 5 tokens selected at random, E d-tilde is at least c L for some c > 0.",
           .proof = "Where all tokens and all weights are alike, every index set of 5 tokens gives the same d-tilde = "
                    "4 (L-5)/L, and so does the mean over them: it stays below 4. The upper half of "
                    "expected-distance-sandwich shows what growth needs: E d-tilde is of the order of (L-N) times the "
                    "norms of a_i x_i and of N xbar/(L-1), which sum to a constant where the weights are of order 1/L.",
           .domain = "all L = n >= 10, by polynomials in n; members at L = 10, 20, 40, ..., 655360",
           .kind = Families{.left = "L / E d-tilde along a family with N = 5 and tokens that are all alike",
                            .right = "any constant 1/c",
                            .families = {{.quantity = "L/sum(i not in I: |a_i x_i - s|)",
                                          .forms = {.name = "tokens-alike",
                                                    .first = 10,
                                                    .tokens = {{{5}, true, {{"a", {{1}, {0, 1}}}, {"x", {{1}}}}},
                                                               {{-5, 1}, false, {{"a", {{1}, {0, 1}}}, {"x", {{1}}}}}},
                                                    .numbers = {{"M", {{1}}}},
                                                    .value = {{0, 0, 1}, {-20, 4}},
                                                    .given = {"N = 5 and a_i = 1/L and M > 0 and x_i = M"},
                                                    .constant = {"M"}},
                                          .value = sides::length_over_one_dimensional_distance}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert
