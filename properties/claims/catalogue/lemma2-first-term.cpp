// ||J||_2 <= ||F'||/(L min F) + ||F|| ||F'||/(L^2 min F^2), arXiv 2508.17821, Lemma 2, first term
// (docs/specification.md#lemma2), in the spectral norm. Strict for L >= 2: the sharp line has sqrt(1 - 2 a_min +
// ||a||^2) < 1 + ||a||.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
Claim lemma2_first_term() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 2, first term, spectral norm",
                    .section = "8",
                    .text = "The Jacobian of a separable positive F is bounded by the norms of F and F' and min F.",
                    .proof = "By jacobian-sharp-column ||J|| <= (||F'||/S) sqrt(1 - 2 a_min + ||a||^2) <= (||F'||/S)(1 "
                             "+ ||a||), and ||a|| = ||F||/S. Put in S >= L min F, and the two terms are those printed. "
                             "It is strict for L >= 2: with F equal everywhere and F' on one token, its worst case, "
                             "the quotient of the sides is sqrt((sqrt L - 1)/(sqrt L + 1)) < 1.",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.parts = {{.left = "||J||_2",
                                             .right = "||F'|| / (L min F) + ||F|| ||F'|| / (L^2 min F^2)",
                                             .lhs = sides::jacobian_norm,
                                             .rhs = sides::printed_first_term}},
                                  .hypotheses = {hypotheses::values_with_slopes},
                                  .generate = separable_row,
                                  .known = known::single_slopes}},
      .expected = Expected::supported};
}

}  // namespace attncert
