// Sigmoid weights, sigma(z_i/T + b), are 1/(4T)-Lipschitz in every l_p (docs/specification.md#sigmoid): each entry by
// itself.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

sides::Values weights(const Instance& instance, const sides::Logits& logits, Precision precision) {
  const Interval one(1.0, precision);
  sides::Values result;
  for (const Rational& logit : logits) {
    const Rational x = logit / *instance.temperature + instance.parameters[parameter::bias];
    const Interval below = exp(Interval(Rational(-abs(x)), precision));  // never above 1
    result.push_back((sgn(x) < 0 ? below : one) / (one + below));
  }
  return result;
}

}  // namespace

Claim lipschitz_sigmoid() {
  return {.statement =
              {
                  .source = "corrected Lipschitz constants",
                  .section = "13",
                  .text = "Sigmoid weights at temperature T and any bias are 1/(4T)-Lipschitz in l_p, p in {1, 5/4, "
                          "3/2, 2, 3, 4, inf}.",
                  .proof = "The slope of the logistic function is sigma (1 - sigma) <= 1/4, and each weight depends on "
                           "its own logit alone.",
                  .domain = "pairs of rational rows, L <= 24, |b| <= 8, T from 10^-30 to 10^30",
                  .kind = Sided{.parts = sides::lipschitz_parts<weights>(
                                    sides::all_exponents, {"1/(4T)", sides::constant_over_temperature<1, 4>}),
                                .hypotheses = sides::pair_hypotheses({{"a bias b", sides::has_numbers}}),
                                .generate = ruled_pair,
                                .known =
                                    [] {
                                      return known::Instances{
                                          known::around({-1, 7}, {1, 0}, known::small, known::numbers(1, 1, 1))};
                                    }}},
          .expected = Expected::supported};
}

}  // namespace attncert
