// ||J||_p <= 1/(2T) for softmax, p in {1, 2, inf}: the true constant (docs/specification.md#tanh-bound).
// ||J||_1 = ||J||_inf = 2 p1 (1 - p1) / T, and with r = 1 - p1:  1/2 - 2 p1 r = (p1 - r)^2 / 2. Attained by two equal
// logits. Next to equality the slack decides: 1/2 - lambda_1 is the secular function at 1/2 over a slope between,
//   (p1 - 1/2) g(1/2) = 2 h + sum_{j>=2} p_j (r - p_j)/(h + r - p_j),  h = p1 - 1/2 = (p1 - r)/2 > 0,
// and where p1 <= r it is at least (r - p1)/2, because lambda_1 <= p1.
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval columns(const Instance& instance, Precision precision) {
  const auto& top = instance.softmax(precision).top;
  return Interval(2.0, precision) * top.p1 * top.rest / Interval(*instance.temperature, precision);
}

Interval column_slack(const Instance& instance, Precision precision) {
  const auto& top = instance.softmax(precision).top;
  return square(top.p1 - top.rest) * Interval(0.5, precision) / Interval(*instance.temperature, precision);
}

Interval spectral_slack(const Instance& instance, Precision precision) {
  const SoftmaxRow& row = instance.softmax(precision);
  const auto& top = row.top;
  const Interval zero(0.0, precision), half(0.5, precision), temperature(*instance.temperature, precision);
  // p1 - r = (p1 - p2) - (r - p2) without cancellation: both may lie below every rounding of p1.
  const auto [first, second] = two_largest(instance.logits);
  const Rational exponent = (instance.logits[first] - instance.logits[second]) / *instance.temperature;
  const Interval lead = instance.length == 1 ? top.p1 : top.p2 * expm1(Interval(exponent, precision));
  const Interval twice_h = lead - top.tail, h = twice_h * half;
  if (less(zero, twice_h) != Truth::yes) {
    const Interval least = zero - h, most = half - top.p2;
    return Interval::between(least, max(least, most)) / temperature;
  }
  if (instance.length == 2) return square(lead) * half / temperature;  // lambda_1 = 2 p1 p2, and p1 + p2 = 1
  const Interval x = hull(row.eigenvalue, half), gap = top.p1 - x;
  Interval value = twice_h, slope = top.p1 / square(gap);
  for (std::size_t j = 0; j < instance.length; ++j) {
    if (j == first) continue;
    const Interval& p = row.weights[j];
    const Interval others = j == second ? top.tail : top.rest - p;
    value += p * others / (h + others);
    slope += p / square(x - p);
  }
  const bool between = less(top.p2, x) == Truth::yes && less(x, top.p1) == Truth::yes;
  return between ? value / (h * slope * temperature) : Interval::whole_line(precision);
}

bool attained(const Instance& instance) { return instance.length == 2 && sides::all_logits_equal(instance); }

}  // namespace

Claim softmax_half_over_temperature() {
  return {
      .statement = {.source = "corrected Lemma 2, softmax; arXiv 2510.23012",
                    .section = "8",
                    .text = "Softmax's Jacobian at temperature T has l_p norm at most 1/(2T), p in {1, 2, inf}.",
                    .proof = "J = (diag p - p p^T)/T is symmetric. Spectral norm: lambda_1/T, and lambda_1 <= p1 (1 - "
                             "p1 + p2) <= 1/2 by softmax-spectral-bounds. Norms of l_1 and l_inf: the absolute entries "
                             "of column j sum to 2 p_j (1 - p_j)/T, which is largest at p_max since p_j <= 1 - p_max "
                             "for the others, and 1/2 - 2 p (1-p) = (1 - 2p)^2/2 >= 0. Every other l_p lies between "
                             "l_1 and l_inf by interpolation (Riesz-Thorin). Equality: two equal logits and no others.",
                    .domain = "rational logits, L <= 24, T from 10^-30 to 10^30; captured rows at T = 1",
                    .kind = Sided{.parts = {{.name = "l_2",
                                             .left = "spectral(p, p)/T",
                                             .right = "1/(2 T)",
                                             .lhs = sides::spectral_norm,
                                             .rhs = sides::constant_over_temperature<1, 2>,
                                             .slack = spectral_slack,
                                             .attained = attained},
                                            {.name = "l_1 and l_inf",
                                             .left = "max(i: column_i)/T",
                                             .right = "1/(2 T)",
                                             .lhs = columns,
                                             .rhs = sides::constant_over_temperature<1, 2>,
                                             .slack = column_slack,
                                             .attained = attained}},
                                  .hypotheses = {hypotheses::positive_temperature},
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .real = RealRows::logits,
                                  .proved = Proved{"all L, all real logits, all T > 0", "scaling, permutation"}}},
      .expected = Expected::proved};
}

}  // namespace attncert
