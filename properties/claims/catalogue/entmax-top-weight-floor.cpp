// p_1 >= min(1, (alpha-1)(z_1-z_2)/T)^(1/(alpha-1)) for alpha-entmax and every L (docs/specification.md#lemma1): a
// fixed gap keeps a fixed weight, so 1/L is no law for it. A part for each of alpha = 5/4, 3/2, 2 and 3. With depths
// d_j = (alpha-1)(z_1-z_j)/T and beta = 1/(alpha-1), p_j = max(h - d_j, 0)^beta of sum 1; so p_1 = h^beta, and the
// floor is min(1, d_2)^beta. Attained exactly where d_2 >= 1: one token has all.
#include <map>

#include "properties/claims/catalogue/sides/entmax.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"

namespace attncert {
namespace {

using sides::Power;
using Counted = std::map<Rational, unsigned long>;

// The depths below 1 (h is at most 1) and how many tokens have each; the largest logit's own is 0.
Counted depths(const Instance& instance, const Power& power) {
  const Rational& top = instance.logits[two_largest(instance.logits).first];
  const Rational unit =
      ratio(static_cast<long>(power.rise), static_cast<unsigned long>(power.run)) / *instance.temperature;
  Counted result;
  for (const Rational& logit : instance.logits) {
    const Rational depth = (top - logit) * unit;
    if (depth < 1) ++result[depth];
  }
  return result;
}

bool one_hot(const Counted& depths) { return depths.size() == 1 && depths.begin()->second == 1; }

// sum_j max(h - d_j, 0)^beta, which grows with h
Interval mass(const sides::Depths& depths, const Power& power, const Interval& height, Precision precision) {
  const Interval zero(0.0, precision);
  Interval total = zero;
  for (const auto& [d, count] : depths)
    if (less(height, d) != Truth::yes) total += count * power(max(height - d, zero));
  return total;
}

// Certified signs of mass - 1 around the guessed height, then a bisection where more than 64 bits are asked for: a
// secant would lose its way for beta < 1, where mass has a vertical tangent at every depth.
Interval height(const sides::Depths& depth, const Power& power, Precision precision) {
  const Interval one(1.0, precision), half(0.5, precision), guess(sides::guessed_threshold(depth, power), precision);
  Interval low(0.0, precision), high = one;  // mass(0) <= 1 <= mass(1)
  for (const int k : {20, 30, 44}) {
    const Interval by(power_of_two(-k), precision);
    const Interval below = middle(guess * (one - by)), above = middle(min(guess * (one + by), one));
    if (less_equal(mass(depth, power, below, precision), one) == Truth::yes) low = below;
    if (less_equal(one, mass(depth, power, above, precision)) == Truth::yes) high = above;
  }
  for (int step = 0; precision > Precision{} && step < precision.bits; ++step) {
    const Interval center = middle((low + high) * half);
    const Truth right = less(one, mass(depth, power, center, precision));
    if (right == Truth::unknown) break;
    (right == Truth::yes ? high : low) = center;
  }
  return Interval::between(low, high);
}

// min(1, d_2)^beta, and p_1 = h^beta
Interval floor(const Instance& instance, const Power& power, Precision precision) {
  const Counted exact = depths(instance, power);
  if (one_hot(exact)) return {1.0, precision};  // the largest logit has all the weight
  const bool tie = exact.begin()->second > 1;
  return power(Interval(tie ? Rational(0) : std::next(exact.begin())->first, precision));
}
Interval top_weight(const Instance& instance, const Power& power, Precision precision) {
  const Counted exact = depths(instance, power);
  if (one_hot(exact)) return {1.0, precision};
  return power(height(sides::enclosed(exact, precision), power, precision));
}

Part part(std::string_view name, std::string_view left, const Power& power) {
  return {
      .name = name,
      .left = left,
      .right = "p_1",
      .lhs = [power](const Instance& instance, Precision precision) { return floor(instance, power, precision); },
      .rhs = [power](const Instance& instance, Precision precision) { return top_weight(instance, power, precision); },
      .attained = [power](const Instance& instance) { return one_hot(depths(instance, power)); }};
}

}  // namespace

Claim entmax_top_weight_floor() {
  return {
      .statement = {.source = "corrected Lemma 1, entmax",
                    .section = "1",
                    .text = "The largest weight of alpha-entmax is bounded below by the gap of the two largest "
                            "logits alone, at every length; alpha in {5/4, 3/2, 2, 3}.",
                    .proof = "alpha-entmax is p_j = max((alpha-1) z_j/T - tau, 0)^(1/(alpha-1)) with the tau that "
                             "makes the sum 1. If p_2 > 0, the two largest logits are both above the threshold, and "
                             "p_1^(alpha-1) - p_2^(alpha-1) = (alpha-1)(z_1 - z_2)/T, so p_1^(alpha-1) is at least the "
                             "right-hand side. If p_2 = 0 then p_1 = 1, which is at least min(1, ..). Take the power "
                             "1/(alpha-1). L occurs nowhere: weights of order 1/L are a property of positive separable "
                             "F alone. Equality where one token has all the weight, that is for (alpha-1)(z_1 - z_2) "
                             ">= T.",
                    .domain = "rational logits, L <= 24, T from 10^-30 to 10^30; captured rows at T = 1",
                    .kind = Sided{.parts = {part("alpha = 5/4", "min(1, (z_1 - z_2)/(4T))^4", {4, 1}),
                                            part("alpha = 3/2", "min(1, (z_1 - z_2)/(2T))^2", {2, 1}),
                                            part("alpha = 2", "min(1, (z_1 - z_2)/T)", {1, 1}),
                                            part("alpha = 3", "min(1, 2 (z_1 - z_2)/T)^(1/2)", {1, 2})},
                                  .hypotheses = {hypotheses::positive_temperature, hypotheses::at_least_two_tokens},
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .known =
                                      [] {
                                        return known::Instances{known::logits({4, 0}),
                                                                known::logits({0, 4 - known::small}),
                                                                known::logits(known::repeated(4, 0, 4096))};
                                      },
                                  .real = RealRows::logits}},
      .expected = Expected::supported};
}

}  // namespace attncert
