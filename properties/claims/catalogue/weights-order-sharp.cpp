// 1/(1 + (L-1) R) <= a_i <= R/(R + L - 1), R = max F / min F (docs/specification.md#lemma1): the corrected Lemma 1.
// Attained by one token at one extreme of F and the rest at the other.
#include "properties/claims/catalogue/sides/weight_ends.hpp"

namespace attncert {
namespace {

Rational others(const Instance& instance) { return Rational(instance.length - 1); }
Rational upper_end(const Instance& instance) {
  const Rational ratio = sides::ratio_of_values(instance);
  return ratio / (ratio + others(instance));
}
Rational lower_end(const Instance& instance) { return 1 / (1 + others(instance) * sides::ratio_of_values(instance)); }

}  // namespace

Claim weights_order_sharp() {
  return {
      .statement =
          {.source = "corrected Lemma 1",
           .section = "1",
           .text = "Every weight of a separable positive F lies between 1/(1+(L-1)R) and R/(R+L-1), R = max F / min F.",
           .proof = "Divide a_i = F_i / S by F_i above and below: a_i = 1 / (1 + sum over j != i of F_j/F_i), "
                    "where each of the L-1 quotients lies between 1/R and R. All of them 1/R give the upper "
                    "end, 1/(1 + (L-1)/R) = R/(R + L - 1); all of them R give the lower end. Both ends are "
                    "attained, by one token at one extreme of F and all others at the other extreme.",
           .domain = "values F > 0 at the logits, L <= 24",
           .kind = sides::weight_ends<lower_end, upper_end>("1/(1 + (L - 1) R)", "R/(R + L - 1)")},
      .expected = Expected::proved};
}

}  // namespace attncert
