// Sigmoid-normalized, sigma(z_i/T) / sum sigma(z_j/T), is 1/(2T)-Lipschitz in every l_p
// (docs/specification.md#sigmoid-normalized). With log sigma(x) = min(x, 0) - log1p(exp(-|x|)) it is a softmax whose
// exponents keep their digits far left of 0.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

sides::Values weights(const Instance& instance, const sides::Logits& logits, Precision precision) {
  const Rational top = *std::max_element(logits.begin(), logits.end()) / *instance.temperature;
  const auto small = [&](const Rational& x) { return log1p(exp(Interval(Rational(-abs(x)), precision))); };
  const Interval top_small = small(top), zero(0.0, precision);
  sides::Values exponents;
  for (const Rational& logit : logits) {
    const Rational x = logit / *instance.temperature;
    const Rational below = std::min<Rational>(x, 0) - std::min<Rational>(top, 0);
    exponents.push_back(x == top ? zero : Interval(below, precision) - small(x) + top_small);
  }
  return sides::shares(exponents, precision);
}

}  // namespace

Claim lipschitz_sigmoid_normalized() {
  return {
      .statement = {.source = "corrected Lipschitz constants",
                    .section = "13",
                    .text = "Normalized sigmoid weights at temperature T are 1/(2T)-Lipschitz in l_p, p in {1, 5/4, "
                            "3/2, 2, 3, 4, inf}.",
                    .proof = "They are softmax of log sigma(z/T), whose slope 1 - sigma is below 1; softmax is "
                             "1/2-Lipschitz in its logits. The constant is approached far left of 0.",
                    .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = sides::lipschitz_parts<weights>(
                                      sides::all_exponents, {"1/(2T)", sides::constant_over_temperature<1, 2>}),
                                  .hypotheses = sides::pair_hypotheses(),
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{known::around({-50, -50}, {1, -1}, known::small)};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert
