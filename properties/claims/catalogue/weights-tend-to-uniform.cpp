// "Converging toward a uniform selection pattern" as L grows, arXiv 2508.17821 (docs/specification.md#lemma1), read as
// "L a_i -> 1 for every token, for a positive F on bounded logits". Lemma 1 gives the order 1/L and no more: F = (2, 1,
// .., 1) keeps L a_1 = 2 L/(L+1), which tends to 2.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {

Claim weights_tend_to_uniform() {
  return {.statement =
              {.source = "arXiv 2508.17821, \"a uniform selection pattern\" for long rows",
               .section = "1",
               .text = "As L grows, the weights of a positive F on bounded logits become uniform: L a_i tends to 1.",
               .proof =
                   "a_i/a_j = F(l_i)/F(l_j) does not depend on L. One token of value 2 among tokens of value 1 has a_1 "
                   "= 2/(L+1), so L a_1 tends to 2, and any ratio R of values keeps L a_1 near R "
                   "(weights-order-sharp). What becomes small is every weight; their ratios stay.",
               .domain = "all L = n >= 2, by polynomials in n; members at L = 2, 4, ..., 2^20",
               .kind = Families{.left = "L a_1 - 1 along a family of two values of F",
                                .right = "0 in the limit",
                                .families = {{.quantity = "L F_first/S - 1",
                                              .forms = {.name = "two-values",
                                                        .first = 2,
                                                        .tokens = {{{1}, false, {{"l", {{1}}}, {"F", {{2}}}}},
                                                                   {{-1, 1}, false, {{"l", {{0}}}, {"F", {{1}}}}}},
                                                        .numbers = {{"B", {{2}}}},
                                                        .value = {{-1, 1}, {1, 1}},
                                                        .given = {"F_i > 0 and F_i <= B and |l_i| <= B"},
                                                        .constant = {"B"}},
                                              .value = sides::length_times_first_separable_weight_less_one,
                                              .least = ratio(1, 4)}}}},
          .expected = Expected::refuted};
}

}  // namespace attncert
