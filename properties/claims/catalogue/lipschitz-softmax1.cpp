// Softmax1, exp(z_i/T) / (1 + sum exp(z_j/T)), is 1/(2T)-Lipschitz in every l_p for L >= 2, and 1/(4T) for L = 1
// (docs/specification.md#softmax1): softmax of the row with one more logit 0, whose own weight is left out.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

sides::Values weights(const Instance& instance, const sides::Logits& logits, Precision precision) {
  sides::Logits longer = logits;
  longer.emplace_back(0);
  sides::Values all = sides::softmax(instance, longer, precision);
  all.pop_back();
  return all;
}

Interval constant(const Instance& instance, Precision precision) {
  const Rational constant = ratio(1, instance.length == 1 ? 4 : 2);
  return Interval(Rational(constant / *instance.temperature), precision);
}

}  // namespace

Claim lipschitz_softmax1() {
  return {
      .statement = {.source = "corrected Lipschitz constants",
                    .section = "13",
                    .text = "Softmax1 at temperature T is 1/(2T)-Lipschitz in l_p, and 1/(4T)-Lipschitz on one token, "
                            "p in {1, 5/4, 3/2, 2, 3, 4, inf}.",
                    .proof = "It is a part of softmax of the row with one more logit 0; neither the step nor the "
                             "difference grows when that entry is left out. On one token it is the logistic function.",
                    .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = sides::lipschitz_parts<weights>(
                                      sides::all_exponents, {"c/T", constant, "c = 1/2, or 1/4 where L = 1"}),
                                  .hypotheses = sides::pair_hypotheses(),
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::around({50, 50}, {1, -1}, known::small),
                                            known::around({0}, {1}, known::small),
                                            known::around(known::above_rest({50, 50}, -1000, 48),
                                                          known::above_rest({1, -1}, 0, 48), known::small)};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert
