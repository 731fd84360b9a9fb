// max |J_ij| <= 1/(4T) for softmax (docs/specification.md#lemma2): what is true of 1/(4T). The largest entry is p1 (1 -
// p1) / T, because x (1 - x) grows up to 1/2 and p_j <= 1 - p1. 1/4 - p1 (1 - p1) = ((p1 - rest) / 2)^2, rest = 1 - p1.
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  const auto& top = instance.softmax(precision).top;
  return top.p1 * top.rest / Interval(*instance.temperature, precision);
}

Interval slack(const Instance& instance, Precision precision) {
  const auto& top = instance.softmax(precision).top;
  return square((top.p1 - top.rest) * Interval(0.5, precision)) / Interval(*instance.temperature, precision);
}

// p1 = rest is a relation between exponentials of distinct rationals with integer coefficients: by Lindemann it holds
// only identically, and then the largest logit occurs twice and nothing else is there.
bool attained(const Instance& instance) { return instance.length == 2 && sides::all_logits_equal(instance); }

}  // namespace

Claim softmax_largest_entry() {
  return {
      .statement = {.source = "corrected Lemma 2, softmax, largest entry",
                    .section = "8",
                    .text = "No entry of softmax's Jacobian at temperature T exceeds 1/(4T).",
                    .proof = "T J has p_i (1 - p_i) on its diagonal and -p_i p_j elsewhere, and p_j <= 1 - p_i, so the "
                             "largest entry stands on the diagonal. p (1-p) = 1/4 - (p - 1/2)^2. This is the norm of J "
                             "from l_1 to l_inf. Equality exactly where a weight is 1/2, which for rational logits and "
                             "T means two equal logits and no others.",
                    .domain = "rational logits, L <= 24, T from 10^-30 to 10^30; captured rows at T = 1",
                    .kind = Sided{.parts = {{.left = "max(max(i: p_i (1 - p_i)), max(i, j != i: p_i p_j))/T",
                                             .right = "1/(4 T)",
                                             .lhs = lhs,
                                             .rhs = sides::constant_over_temperature<1, 4>,
                                             .slack = slack,
                                             .attained = attained}},
                                  .hypotheses = {hypotheses::positive_temperature},
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .real = RealRows::logits,
                                  .proved = Proved{"all L, all real logits, all T > 0", "scaling, permutation"}}},
      .expected = Expected::proved};
}

}  // namespace attncert
