// ||J||_F <= ||F'||/(L min F) + ||F|| ||F'||/(L^2 min F^2), arXiv 2508.17821, Lemma 2, first term
// (docs/specification.md#lemma2), in the Frobenius norm, which the printed symbol allows as well. Column j of J is g_j
// (e_j - a), of norm |g_j| ||e_j - a|| <= |g_j| (1 + ||a||).
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {

Claim lemma2_first_term_frobenius() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 2, first term, Frobenius norm",
                    .section = "8",
                    .text = "The Frobenius norm of the Jacobian of a separable positive F is bounded by the norms of F "
                            "and F' and min F.",
                    .proof =
                        "By jacobian-frobenius ||J||_F^2 is the sum of g_j^2 ||e_j - a||^2, and ||e_j - a|| <= 1 + "
                        "||a||. So ||J||_F <= (||F'||/S)(1 + ||a||) with ||a|| = ||F||/S; put in S >= L min F, and "
                        "the two terms are those printed. The spectral norm is no larger: this reading implies "
                        "lemma2-first-term. With F equal everywhere and F' on one token the quotient of the sides "
                        "is the same in both, and tends to 1 as L grows.",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.parts = {{.left = "||J||_F",
                                             .right = "||F'|| / (L min F) + ||F|| ||F'|| / (L^2 min F^2)",
                                             .lhs = sides::frobenius_norm,
                                             .rhs = sides::printed_first_term}},
                                  .hypotheses = {hypotheses::values_with_slopes},
                                  .generate = separable_row,
                                  .known = known::single_slopes}},
      .expected = Expected::supported};
}

}  // namespace attncert
