// "Any F independent of L forces weights O(1/L)", arXiv 2508.17821, Lemma 1 as the slides state it
// (docs/specification.md#lemma1). Three families, each against one silent hypothesis: bounded logits, F without a zero,
// F separable.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
Claim lemma1_any_normalizer() {
  return {
      .statement =
          {.source = "arXiv 2508.17821, Lemma 1 as the slides state it",
           .section = "1",
           .text = "Any normalizer F that does not depend on L forces every weight to be O(1/L).",
           .proof =
               "Three hypotheses are left unsaid, and one family breaks each. Logits whose range grows "
               "(F = 1 + l^2 at (L, 0, .., 0), and F = exp at (log(L-1), 0, .., 0)) keep a_1 near 1, and at 1/2. A "
               "nonnegative F that has a zero (max(z, 0) at (1, -1, .., -1)) gives the first token "
               "everything. Sparsemax, which is not of the form F / sum F, does the same at (1, 0, .., "
               "0). For a positive separable F whose values stay within a factor R of each other, "
               "weights-order-sharp holds, and with it the order 1/L.",
           .domain = "all L = n >= 2, by polynomials in n; members at L = 2, 4, ..., 2^20",
           .kind = Families{.left = "L a_1 along three families",
                            .right = "any constant C",
                            .families = {{.quantity = "L F_first/S",
                                          .forms = {.name = "unbounded-logits",
                                                    .first = 2,
                                                    .tokens = {{{1}, false, {{"l", {{0, 1}}}}},
                                                               {{-1, 1}, false, {{"l", {{0}}}}}},
                                                    .value = {{1, 0, 1}, {1, 1}},
                                                    .given = {"F_i > 0"}},
                                          .value = sides::length_times_first_weight_of_one_plus_square},
                                         {.quantity = "L F_first/S",
                                          .forms = {.name = "zero-of-f",
                                                    .first = 2,
                                                    .tokens = {{{1}, false, {{"F", {{1}}}, {"l", {{1}}}}},
                                                               {{-1, 1}, false, {{"F", {{0}}}, {"l", {{-1}}}}}},
                                                    .numbers = {{"B", {{1}}}},
                                                    .value = {{0, 1}},
                                                    .given = {"F_i >= 0 and min(i: F_i) = 0 and F_i <= B and |l_i| <= "
                                                              "B"},
                                                    .constant = {"B"}},
                                          .value = sides::length_times_first_separable_weight},
                                         {.quantity = "L a_first",
                                          .forms = sides::one_token_sparsemax("non-separable"),
                                          .value = sides::length_times_first_sparsemax_weight}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert
