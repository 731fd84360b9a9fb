// "Heads saturate at N_s/N of 70 to 85%" (arXiv 2508.17821, experiments on separability;
// docs/specification.md#separable-share): numbers of captured attention.
#include "properties/claims/claim.hpp"

namespace attncert {

Claim separability_saturation() {
  return {
      .statement = {.source = "arXiv 2508.17821, experiments on separability",
                    .section = "7",
                    .text = "The share N_s/N of separable tokens of trained heads saturates at 70 to 85%.",
                    .proof = "No bound makes a plateau: for N >= 2 the sharp range of N_s/N is all of [0, 1] "
                             "(separability-floor, theorem2-eighty-percent, separability-equiangular). For equal "
                             "weights and isotropic tokens of dimension d the share falls from 1 to 0 around N = d / "
                             "(2 log(L-N)). What a head shows is therefore a property of its tokens and weights, and "
                             "depends on N, on L, on which vectors the tokens are and on whether they are put on a "
                             "sphere; none of which is said. N = 1 always gives 1.",
                    .domain = "captured rows",
                    .kind = Measured{}},
      .expected = Expected::measured};
}

}  // namespace attncert
