// Sides of the claims that compare two rows (docs/specification.md#tanh-bound and #separable-slope).
#pragma once

#include <span>
#include <vector>

#include "properties/claims/claim.hpp"

namespace attncert::sides {

Interval hyperbolic_tangent(const Interval& x);  // of x >= 0, relative width about 2^-precision however small x is

// softmax(l/T) and softmax(l'/T).
struct SoftmaxPair {
  std::vector<Rational> h;              // (l' - l)/T, exactly
  std::size_t lowest = 0, highest = 0;  // where h is least and largest
  std::vector<Interval> before, after;  // p, p'
  std::vector<Interval> log_ratio;      // log(p'_i / p_i)
  std::vector<Interval> difference;     // p' - p, the error of every entry far below osc(h)

  Rational oscillation() const { return h[highest] - h[lowest]; }  // osc(h)
};
SoftmaxPair softmax_pair(std::span<const Rational> from, std::span<const Rational> to, const Rational& temperature,
                         Precision precision);
SoftmaxPair softmax_pair_of(const Instance& instance, Precision precision);  // logits and other_logits

// tanh(osc(h)/4) - 1/2 ||p' - p||_1 as a sum of terms that are all >= 0; osc(h) > 0.
Interval variation_slack(const SoftmaxPair& pair, Precision precision);

// The two are equal: h has two values, and exp turns the multisets {l_i + osc/2 : h_i largest} and {l_i : h_i least}
// into equal sums. Exponentials of different rationals are linearly independent over the rationals (Lindemann,
// Weierstrass): so the multisets are equal.
bool variation_is_attained(std::span<const Rational> from, std::span<const Rational> to);

Hypotheses softmax_pair_hypotheses();  // T > 0, a second row

}  // namespace attncert::sides
