// C1/L <= a_i for any F that does not depend on L, arXiv 2508.17821, Lemma 1 without its hypotheses, lower half
// (docs/specification.md#lemma1). A positive F on logits without a bound gives a weight of order 1/L^3; a zero of
// F, which gives the weight 0, needs no family.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {

Claim lemma1_any_normalizer_lower() {
  return {
      .statement =
          {.source = "arXiv 2508.17821, Lemma 1 as the slides state it, lower half",
           .section = "1",
           .text = "Any normalizer F that does not depend on L keeps every weight at C1/L or above, for some C1 > 0.",
           .proof = "Where the range of logits is not bounded, a positive F may fall as far as it likes on one token: "
                    "F(l) = 1/(1 + l^2) at l = L, beside L - 1 tokens at 0, gives it the weight 1/(L (L^2 - L + 1)). "
                    "A nonnegative F with a zero gives the weight 0, which no C1/L is below. For a positive F whose "
                    "values stay within a factor R, C1 = 1/R serves (lemma1-bounded-logits).",
           .domain = "all L = n >= 2, by polynomials in n; members at L = 2, 4, ..., 2^20",
           .kind = Families{.left = "1/(L a_1) along a family",
                            .right = "any constant 1/C1",
                            .families = {{.quantity = "S/(L F_first)",
                                          .forms = {.name = "falling-logits",
                                                    .first = 2,
                                                    .tokens = {{{1}, false, {{"l", {{0, 1}}}}},
                                                               {{-1, 1}, false, {{"l", {{0}}}}}},
                                                    .value = {{1, -1, 1}},
                                                    .given = {"F_i > 0"}},
                                          .value = sides::inverse_of_length_times_first_weight_of_inverse_square}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert
