// "Recovers 1/(4T) as a special case": arXiv 2508.17821 says so of Lemma 2 and softmax (docs/specification.md#lemma2).
// With F = exp(./T) and F' = F/T the first term is ||F||/(T L min F) + (||F||/(L min F))^2 / T, at two equal logits
// (2 + 2 sqrt 2)/(4T): it bounds the Jacobian, but it is not 1/(4T).
#include <algorithm>

#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

// ||F||/(L min F), in exponentials of logits above the smallest.
Interval spread(const Instance& instance, Precision precision) {
  const Rational least = *std::min_element(instance.logits.begin(), instance.logits.end());
  Interval squares(0.0, precision);
  for (const Rational& logit : instance.logits)
    squares += exp(Interval(Rational(2 * (logit - least) / *instance.temperature), precision));
  return sqrt(squares) / Interval(Rational(instance.length), precision);
}

Interval lhs(const Instance& instance, Precision precision) {
  const Interval x = spread(instance, precision);
  return (x + square(x)) / Interval(*instance.temperature, precision);
}

// 4 (x + x^2) = 1 says 2 x = sqrt 2 - 1 for x = ||F||/(L min F). At equal logits x = L^(-1/2), which is not; at others
// no instance is known to be one, and none is taken for one.
bool attained(const Instance&) { return false; }

}  // namespace

Claim lemma2_recovers_quarter() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 2, \"recovers 1/(4T) as a special case\"",
                    .section = "8",
                    .text = "For softmax the first term of Lemma 2 is 1/(4T).",
                    .proof = "With F = exp(l/T), F' = F/T and x = ||F||/(L min F) the first term is (x + x^2)/T. At L "
                             "equal logits x = 1/sqrt L: at L = 2 the term is (1 + sqrt 2)/(2T), almost five times "
                             "1/(4T). 1/(4T) is the largest entry of the Jacobian (softmax-largest-entry), which "
                             "Lemma 2 does not give.",
                    .domain = "rational logits, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = {{.left = "||F'||/(L min F) + ||F|| ||F'||/(L^2 min F^2), F = exp(l/T)",
                                             .right = "1/(4T)",
                                             .relation = Relation::equal,
                                             .lhs = lhs,
                                             .rhs = sides::constant_over_temperature<1, 4>,
                                             .attained = attained}},
                                  .hypotheses = {hypotheses::positive_temperature},
                                  .generate = logit_row}},
      .expected = Expected::refuted};
}

}  // namespace attncert
