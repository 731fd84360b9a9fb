// "Beyond N/L ~ 6% empirical and expected distances are statistically indistinguishable", a two-sample
// Kolmogorov-Smirnov test at 0.01 (arXiv 2508.17821, experiments on the distance;
// docs/specification.md#kolmogorov-smirnov): numbers of captured attention.
#include "properties/claims/claim.hpp"

namespace attncert {

Claim ks_six_percent() {
  return {
      .statement = {.source = "arXiv 2508.17821, experiments on the distance, Kolmogorov-Smirnov test",
                    .section = "10",
                    .text = "Beyond N/L of about 6% a two-sample Kolmogorov-Smirnov test at level 0.01 cannot tell the "
                            "measured distances d-tilde from the expected ones.",
                    .proof = "Not said: what one sample is, how large it is, which heads are pooled, and which formula "
                             "gives the expectation (the printed one is wrong: theorem1-expectation-main-term). A test "
                             "of n against m samples does not reject while their distribution functions differ by at "
                             "most 1.63 sqrt((n+m)/(n m)). If the two laws differ at all, enough samples tell them "
                             "apart: the share N/L from which on they are not told apart is a function of the sample "
                             "size and no property of a normalizer. So it is shown against the sample size.",
                    .domain = "captured rows",
                    .kind = Measured{}},
      .expected = Expected::measured};
}

}  // namespace attncert
