// SSMax, softmax(s log(L) z / T), is |s| log(L)/(2T)-Lipschitz in every l_p (docs/specification.md#ssmax).
// With s = 0 or L = 1 every row has the same weights: both sides are 0.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

const Rational& scale(const Instance& instance) { return instance.parameters[parameter::scale]; }

Interval log_length(const Instance& instance, Precision precision) {
  return log(Interval(Rational(instance.length), precision));
}

sides::Values weights(const Instance& instance, const sides::Logits& logits, Precision precision) {
  std::vector<Rational> scaled;
  for (const Rational& logit : logits) scaled.push_back(logit * scale(instance) / *instance.temperature);
  const Rational top = *std::max_element(scaled.begin(), scaled.end());
  const Interval factor = log_length(instance, precision);
  sides::Values exponents;
  for (const Rational& x : scaled) exponents.push_back(factor * Interval(Rational(x - top), precision));
  return sides::shares(exponents, precision);
}

Interval constant(const Instance& instance, Precision precision) {
  const Rational half = abs(scale(instance)) / (2 * *instance.temperature);
  return Interval(half, precision) * log_length(instance, precision);
}

bool constant_weights(const Instance& instance) { return instance.length == 1 || sgn(scale(instance)) == 0; }

std::vector<Part> parts() {
  auto all = sides::lipschitz_parts<weights>(sides::all_exponents, {"|s| log(L)/(2T)", constant});
  for (Part& part : all)
    part.lhs = [lhs = part.lhs](const Instance& instance, Precision precision) {
      return constant_weights(instance) ? Interval(0.0, precision) : lhs(instance, precision);
    };
  return all;
}

}  // namespace

Claim lipschitz_ssmax() {
  return {.statement = {.source = "corrected Lipschitz constants",
                        .section = "13",
                        .text = "SSMax with the scale s on L tokens is |s| log(L)/(2T)-Lipschitz in l_p, p in {1, 5/4, "
                                "3/2, 2, 3, 4, inf}.",
                        .proof = "It is softmax of s log(L) z/T, which is 1/2-Lipschitz in its logits.",
                        .domain = "pairs of rational rows, L <= 24, |s| from 10^-10 to 10^10, T from 10^-30 to 10^30",
                        .kind = Sided{.parts = parts(),
                                      .hypotheses = sides::pair_hypotheses({{"a scale s", sides::has_numbers}}),
                                      .generate = ruled_pair,
                                      .known =
                                          [] {
                                            return known::Instances{
                                                known::around({0, 0}, {1, -1}, known::small, known::numbers(1, 0, 1)),
                                                known::around({0, 0}, {1, -1}, known::small, known::numbers(-1, 0, 1)),
                                                known::around(known::above_rest({0, 0}, -1000, 48),
                                                              known::above_rest({1, -1}, 0, 48), known::small,
                                                              known::numbers(1, 0, 1))};
                                          }}},
          .expected = Expected::supported};
}

}  // namespace attncert
