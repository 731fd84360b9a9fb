// p_1 >= min(1, (alpha-1)(z_1-z_2)/T)^(1/(alpha-1)) for alpha-entmax and every L (docs/specification.md#lemma1): a
// fixed gap keeps a fixed weight, so 1/L is no law for it. For alpha = 5/4, 3/2, 2 and 3 at once: the largest quotient
// is at most 1. With depths d_j = (alpha-1)(z_1-z_j)/T and beta = 1/(alpha-1), p_j = max(h - d_j, 0)^beta of sum 1; so
// p_1 = h^beta, and the floor is min(1, d_2)^beta. Attained exactly where d_2 >= 1: one token has all.
#include <algorithm>

#include "properties/claims/catalogue/sides/entmax.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"

namespace attncert {
namespace {

using sides::Power;
constexpr Power powers[] = {{4, 1}, {2, 1}, {1, 1}, {1, 2}};  // of alpha = 5/4, 3/2, 2, 3

// The depths below 1 (h is at most 1), first the largest logit's own 0.
std::vector<Rational> depths(const Instance& instance, const Power& power) {
  const std::size_t first = two_largest(instance.logits).first;
  const Rational unit =
      ratio(static_cast<long>(power.rise), static_cast<unsigned long>(power.run)) / *instance.temperature;
  std::vector<Rational> result{Rational(0)};
  for (std::size_t j = 0; j < instance.length; ++j) {
    if (j == first) continue;
    const Rational depth = (instance.logits[first] - instance.logits[j]) * unit;
    if (depth < 1) result.push_back(depth);
  }
  return result;
}

// sum_j max(h - d_j, 0)^beta, which grows with h
Interval mass(const std::vector<Interval>& depth, const Power& power, const Interval& height, Precision precision) {
  const Interval zero(0.0, precision);
  Interval total = zero;
  for (const Interval& d : depth)
    if (less(height, d) != Truth::yes) total += power(max(height - d, zero));
  return total;
}

// Certified signs of mass - 1 around the guessed height, then a bisection where more than 64 bits are asked for: a
// secant would lose its way for beta < 1, where mass has a vertical tangent at every depth.
Interval height(const std::vector<Interval>& depth, const Power& power, Precision precision) {
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

Interval lhs(const Instance& instance, Precision precision) {
  Interval largest(0.0, precision);
  for (const Power& power : powers) {
    const std::vector<Rational> exact = depths(instance, power);
    if (exact.size() == 1) return {1.0, precision};  // the largest logit has all the weight: 1 against 1
    const Interval smallest(*std::min_element(exact.begin() + 1, exact.end()), precision);
    if (smallest.is_point() && smallest.upper() == 0) continue;  // a tie: the floor is 0
    largest = max(largest, power(smallest / height(enclosures(exact, precision), power, precision)));
  }
  return largest;
}

bool attained(const Instance& instance) {
  return std::any_of(std::begin(powers), std::end(powers),
                     [&](const Power& power) { return depths(instance, power).size() == 1; });
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
                    .kind = Sided{.left = "max over alpha of min(1, (alpha-1)(z_1-z_2)/T)^(1/(alpha-1)) / p_1",
                                  .right = "1",
                                  .hypotheses = {hypotheses::positive_temperature, hypotheses::at_least_two_tokens},
                                  .lhs = lhs,
                                  .rhs = sides::constant<1>,
                                  .attained = attained,
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .real = RealRows::logits}},
      .expected = Expected::supported};
}

}  // namespace attncert
