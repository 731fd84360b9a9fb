// K g >= 1 - eta L/(L-1) for a permutation-equivariant rule with l_2 Lipschitz constant K that gives the first token of
// g e_1 the weight 1 - eta (docs/specification.md#tradeoff): the obstruction that is true, and does not depend on L. At
// g e_1, for the sparsemax (K = 1/T), 1.5-entmax (K = K_L/T) and softmax (K = 1/(2T)) of l/T, a part each. With x = g/T
// the left sides are exact for sparsemax, (e^x - 1)/(e^x + L - 1) for softmax, and for 1.5-entmax u ((L-2) u + 2 sqrt(L
// - (L-1) u^2))/L at u = x/2 < 1, else 1: the root of (u - t)^2 + (L-1) t^2 = 1. Sparsemax attains it where g <= T; the
// others approach it at L = 2 as x -> 0: 2 tanh(x/2)/x and sqrt(1 - u^2/2).
#include <algorithm>

#include "properties/claims/catalogue/sides/entmax.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

std::size_t top(const Instance& instance) { return two_largest(instance.logits).first; }

Rational gain(const Instance& instance) { return instance.logits[top(instance)] / *instance.temperature; }  // x

// 1 - eta L/(L-1), 1 - eta the largest weight
Rational sparsemax_share(const Instance& instance) {
  const auto rule = reference::sparsemax(instance.logits, *instance.temperature);
  const Rational missing = 1 - rule.weights[top(instance)], length(instance.length);
  return 1 - missing * length / (length - 1);
}

Interval entmax_share(const Instance& instance, Precision precision) {
  const Rational u = gain(instance) / 2, length(instance.length);
  const Interval one(1.0, precision), two(2.0, precision);
  if (u >= 1) return one;
  const Interval root = sqrt(Interval(Rational(length - (length - 1) * u * u), precision)), half_gain(u, precision);
  return half_gain * (Interval(Rational((length - 2) * u), precision) + two * root) / Interval(length, precision);
}

Interval softmax_share(const Instance& instance, Precision precision) {
  const Interval minus = -expm1(-Interval(gain(instance), precision)), one(1.0, precision);  // 1 - e^-x
  const Interval others(Rational(instance.length - 1), precision);
  return minus / (one + others * (one - minus));
}

// K g of 1.5-entmax, K = K_L/T
Interval entmax_gain(const Instance& instance, Precision precision) {
  return sides::three_halves_constant(instance.length, precision) * Interval(gain(instance), precision);
}

Rational half_gain(const Instance& instance) { return gain(instance) / 2; }

// g e_i for some i: the rules are permutation-equivariant.
Truth one_positive_logit(const Instance& instance) {
  std::size_t zeros = 0;
  for (const Rational& logit : instance.logits) zeros += sgn(logit) == 0 ? 1 : 0;
  return truth(zeros + 1 == instance.length && sgn(instance.logits[top(instance)]) > 0);
}

constexpr std::string_view proof =
    "By equivariance the rule A gives every token of a constant row c (1, .., 1) the weight 1/L. Take c = g/L: the row "
    "g e_1 is g sqrt((L-1)/L) away, and A changes by a vector of sum 0 with the first entry v = 1 - eta - 1/L, whose "
    "norm is at least |v| sqrt(L/(L-1)), the value when the other entries are equal. So K g (L-1)/L >= 1 - eta - 1/L. "
    "Sparsemax at T >= g has v = (g/T)(L-1)/L and K = 1/T: equality, at T = g with eta = 0, for every L.";

}  // namespace

Claim sharpness_needs_gain() {
  return {.statement = {.source = "corrected selectivity-stability tradeoff, three rules at one gain",
                        .section = "11",
                        .text = "Sparsemax, 1.5-entmax and softmax, whose l_2 Lipschitz constant is K, have K g >= 1 - "
                                "eta L/(L-1) "
                                "where they give one token of gain g the weight 1 - eta, at every L.",
                        .proof = proof,
                        .domain =
                            "g > 0 rational, L <= 24, T from 10^-30 to 10^30; sparsemax with K = 1/T, 1.5-entmax with "
                            "K = K_L/T, softmax with K = 1/(2T)",
                        .kind = Sided{.parts = {{.name = "sparsemax",
                                                 .left = "1 - eta L/(L-1)",
                                                 .right = "g/T",
                                                 .lhs = sides::enclosed<sparsemax_share>,
                                                 .rhs = sides::enclosed<gain>,
                                                 .attained = sides::equal<sparsemax_share, gain>},
                                                {.name = "1.5-entmax",
                                                 .left = "1 - eta L/(L-1)",
                                                 .right = "K_L g/T",
                                                 .lhs = entmax_share,
                                                 .rhs = entmax_gain},
                                                {.name = "softmax",
                                                 .left = "1 - eta L/(L-1)",
                                                 .right = "g/(2T)",
                                                 .lhs = softmax_share,
                                                 .rhs = sides::enclosed<half_gain>}},
                                      .hypotheses = {hypotheses::positive_temperature,
                                                     hypotheses::at_least_two_tokens,
                                                     {"one logit is g > 0 and all others are 0", one_positive_logit}},
                                      .attained_is_cheap = true,
                                      .generate = raised_row,
                                      .known =
                                          [] {
                                            return known::Instances{known::logits({5, 0, 0, 0}, 5),
                                                                    known::logits({known::small, 0}),
                                                                    known::logits(known::repeated(1, 0, 4096))};
                                          }}},
          .expected = Expected::supported};
}

}  // namespace attncert
