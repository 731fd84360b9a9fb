// C1/L <= a_i <= C2/L with C1, C2 free of L, arXiv 2508.17821, Lemma 1 with its hypotheses
// (docs/specification.md#lemma1): positive F on a bounded range of logits. The constants are C1 = inf F / sup F and C2
// = sup F / inf F; on a row they are at best 1/R and R, R = max F / min F.
#include "properties/claims/catalogue/sides/weight_ends.hpp"

namespace attncert {
namespace {

Rational upper_end(const Instance& instance) { return sides::ratio_of_values(instance) / instance.length; }
Rational lower_end(const Instance& instance) { return 1 / (sides::ratio_of_values(instance) * instance.length); }

}  // namespace

Claim lemma1_bounded_logits() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 1 with bounded logits",
                    .section = "1",
                    .text = "Where F is positive and bounded away from 0 and infinity, every weight is of order "
                            "1/L: between 1/(R L) and R/L.",
                    .proof = "L a_max / R = L min F / S and 1/(L a_min R) = S / (L max F), and S, a sum of L values, "
                             "lies between L min F and L max F. So the constants C1 = 1/R and C2 = R serve at every "
                             "length, R being the ratio of the extremes of F on the range of the logits, which must "
                             "not depend on L. The best ends at a given L are those of weights-order-sharp. Equality: "
                             "F constant.",
                    .domain = "values F > 0 at the logits, L <= 24",
                    .kind = sides::weight_ends<lower_end, upper_end>("1/(R L)", "R/L")},
      .expected = Expected::proved};
}

}  // namespace attncert
