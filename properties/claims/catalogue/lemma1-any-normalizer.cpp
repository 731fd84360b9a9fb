// "Any F independent of L forces weights O(1/L)", arXiv 2508.17821, Lemma 1 as the slides state it
// (docs/specification.md#lemma1). Three families, each against one silent hypothesis: bounded logits, F without a zero,
// F separable.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
Claim lemma1_any_normalizer() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 1 as the slides state it",
                    .section = "1",
                    .text = "Any normalizer F that does not depend on L forces every weight to be O(1/L).",
                    .proof = "Three hypotheses are left unsaid, and one family breaks each. Logits whose range grows "
                             "like log L (F = exp at (log(L-1), 0, .., 0)) keep a_1 = 1/2 at every length. A "
                             "nonnegative F that has a zero (max(z, 0) at (1, -1, .., -1)) gives the first token "
                             "everything. Sparsemax, which is not of the form F / sum F, does the same at (1, 0, .., "
                             "0). For a positive separable F whose values stay within a factor R of each other, "
                             "weights-order-sharp holds, and with it the order 1/L.",
                    .domain = "all L = n >= 2, by polynomials in n; members at L = 2, 4, ..., 2^20",
                    .kind =
                        Families{.left = "L a_1 along three families",
                                 .right = "any constant C",
                                 .families = {{.text = "F = exp, logits (log(L-1), 0, ..., 0): a_1 = 1/2 for every L",
                                               .quantity = "L a_1",
                                               .forms = {.name = "unbounded-logits",
                                                         .first = 2,
                                                         .tokens = {{{1}, false, {{"F", {{-1, 1}}}}},
                                                                    {{-1, 1}, false, {{"F", {{1}}}}}},
                                                         .value = {{0, ratio(1, 2)}}},
                                               .value = sides::length_times_first_separable_weight},
                                              {.text = "F = max(z, 0), logits (1, -1, ..., -1) in [-1, 1]: a_1 = 1 "
                                                       "for every L",
                                               .quantity = "L a_1",
                                               .forms = {.name = "zero-of-f",
                                                         .first = 2,
                                                         .tokens = {{{1}, false, {{"F", {{1}}}, {"l", {{1}}}}},
                                                                    {{-1, 1}, false, {{"F", {{0}}}, {"l", {{-1}}}}}},
                                                         .numbers = {{"B", {{1}}}},
                                                         .value = {{0, 1}}},
                                               .value = sides::length_times_first_separable_weight},
                                              {.text =
                                                   "sparsemax, logits (1, 0, ..., 0) in [0, 1]: a_1 = 1 for every L",
                                               .quantity = "L a_1",
                                               .forms = sides::one_token_sparsemax("non-separable"),
                                               .value = sides::length_times_first_sparsemax_weight}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert
