// ||J||_p <= 1/(2T) for softmax, p in {1, 2, inf}: the true constant (docs/specification.md#tanh-bound).
// ||J||_1 = ||J||_inf = 2 p1 (1 - p1) / T, and with r = 1 - p1:  1/2 - 2 p1 r = (p1 - r)^2 / 2.
// From lambda_1 <= p1 (1 - p1 + p2) with 1 - p1 = p2 + t:  1/2 - p1 (2 p2 + t) = ((p1 - p2)^2 + t^2 + 2 p2 t) / 2 >= 0.
// Attained by two equal logits. The slack's lower end is one of these sums of squares: where the sides overlap it is
// this identity that decides, and the overlap of slack and sides that is checked.
#include "properties/claims/catalogue/sides/cover.hpp"
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  const SoftmaxRow& row = instance.softmax(precision);
  const Interval columns = Interval(2.0, precision) * row.top.p1 * row.top.rest;
  return max(row.eigenvalue, columns) / Interval(*instance.temperature, precision);
}

// The smaller of the two slacks. The spectral one from below by the sum of squares above, from above by lambda_1 >=
// ell(p1, p2).
Interval slack(const Instance& instance, Precision precision) {
  const auto& top = instance.softmax(precision).top;
  const Interval two(2.0, precision), half(0.5, precision), temperature(*instance.temperature, precision);
  const Interval least = (square(top.p1 - top.p2) + square(top.tail) + two * top.p2 * top.tail) * half;
  const Interval most = half - reference::two_weight_floor(top, precision);
  const Interval spectral = Interval::between(least, max(least, most));
  return min(spectral, square(top.p1 - top.rest) * half) / temperature;
}

bool attained(const Instance& instance) { return instance.length == 2 && sides::all_logits_equal(instance); }

// A column of T J sums to p (1 - p) on the diagonal and as much off it; J is symmetric, so that its norm for p = inf is
// the same and the spectral one is at most their geometric mean.
std::vector<CoverPiece> pieces() {
  const auto column = [](sides::Point x) { return ratio(1, 2) - 2 * x[0] * (1 - x[0]); };
  return {{.name = "column", .coordinates = 1, .slack = column}};
}

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
                    .kind =
                        Sided{.left = "max of ||J||_2 and ||J||_1 = ||J||_inf = 2 p_max (1 - p_max) / T",
                              .right = "1/(2T)",
                              .hypotheses = {hypotheses::positive_temperature},
                              .lhs = lhs,
                              .rhs = sides::constant_over_temperature<1, 2>,
                              .slack = slack,
                              .attained = attained,
                              .attained_is_cheap = true,
                              .generate = logit_row,
                              .real = RealRows::logits,
                              .cover = Cover{"all L, all real logits, all T > 0", {"scaling", "permutation"}, pieces}}},
      .expected = Expected::proved};
}

}  // namespace attncert
