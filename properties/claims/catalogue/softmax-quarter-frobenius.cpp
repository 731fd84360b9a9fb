// ||J||_F <= min{1/(4T), sqrt 2} for softmax, arXiv 2508.17821, Lemma 2's corollary, Frobenius reading
// (docs/specification.md#lemma2). T^2 ||J||_F^2 = sum p_i^2 (1-p_i)^2 + 2 sum_{i<j} p_i^2 p_j^2, whose largest value is
// 1/4, not 1/16.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  const SoftmaxRow& row = instance.softmax(precision);
  const Interval one(1.0, precision), two(2.0, precision);
  Interval total(0.0, precision), squares(0.0, precision);  // squares: of the weights before i
  for (std::size_t i = 0; i < instance.length; ++i) {
    const Interval own = square(row.weights[i]);
    const Interval others = i == row.top.first ? row.top.rest : one - row.weights[i];
    total += own * (square(others) + two * squares);
    squares += own;
  }
  return sqrt(total) / Interval(*instance.temperature, precision);
}

// L equal logits have T^2 ||J||_F^2 = (L-1)/L^2, which is never 1/16 (L^2 - 16 L + 16 has no integer root); with the
// cap, for 32 T^2 <= 1, equality is (L-1)/L^2 = 2 T^2. For other logits equality would be an identity between
// exponentials of rationals, which by Lindemann holds only identically, for all temperatures at once; T -> 0 and T ->
// infinity give (m-1)/m^2 = (L-1)/L^2 for the m < L largest logits, and that needs (m-1)(L-1) = 1.
bool attained(const Instance& instance) {
  const Rational& t = *instance.temperature;
  const Rational length(instance.length);
  return sides::all_logits_equal(instance) && 32 * t * t <= 1 && length - 1 == 2 * t * t * length * length;
}

}  // namespace

Claim softmax_quarter_frobenius() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 2, softmax corollary, Frobenius norm",
                    .section = "8",
                    .text = "Softmax's Jacobian at temperature T has Frobenius norm at most min{1/(4T), sqrt 2}.",
                    .proof = "Two equal logits have J = [[1, -1], [-1, 1]]/(4T), of Frobenius norm 1/(2T), twice what "
                             "is claimed for T >= 1/(4 sqrt 2), and more below. True is ||J||_F <= 1/(2T): with B = "
                             "sum p_i^2, T^2 ||J||_F^2 = B - 2 sum p_i^3 + B^2, and sum p_i^3 >= B^2 by "
                             "Cauchy-Schwarz, so that it is at most B (1 - B) <= 1/4.",
                    .domain = "rational logits, L <= 24, T from 10^-30 to 10^30; captured rows at T = 1",
                    .kind = Sided{.parts = {{.left = "||J||_F",
                                             .right = "min{1/(4T), sqrt 2}",
                                             .lhs = lhs,
                                             .rhs = sides::quarter_or_root_of_two,
                                             .attained = attained}},
                                  .hypotheses = {hypotheses::positive_temperature},
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .known =
                                      [] {
                                        return known::Instances{known::logits({0, 0})};
                                      },
                                  .real = RealRows::logits}},
      .expected = Expected::refuted};
}

}  // namespace attncert
