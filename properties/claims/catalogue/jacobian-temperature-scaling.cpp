// "The finite-difference norm of softmax's Jacobian scales as 1/(4T) for T < 0.1" (arXiv 2508.17821, experiments on the
// gradient; docs/specification.md#lemma2): numbers of captured attention.
#include "properties/claims/claim.hpp"

namespace attncert {

Claim jacobian_temperature_scaling() {
  return {.statement = {.source = "arXiv 2508.17821, experiments on the gradient",
                        .section = "8",
                        .text = "The norm of softmax's Jacobian, measured by finite differences, scales as 1/(4T) for "
                                "temperatures below 0.1.",
                        .proof =
                            "It contradicts the corollary that it is to confirm: that one caps the norm at sqrt 2, "
                            "which 1/(4T) exceeds for T < 0.177. The norm of J is lambda_1(diag p - p p^T)/T with p at "
                            "temperature T (softmax-spectral-bounds). As T falls p approaches one token, and the norm "
                            "then falls to 0, unless the two largest logits are within a few T of each other; 1/(2T) "
                            "is the largest that it can be. A difference quotient of step eps is at most sqrt2/eps "
                            "besides (weights-diameter), so that it depends on eps and on the direction once T is no "
                            "longer large beside eps. So it is shown by T, eps and direction beside the exact norm.",
                        .domain = "captured rows",
                        .kind = Measured{}},
          .expected = Expected::measured};
}

}  // namespace attncert
