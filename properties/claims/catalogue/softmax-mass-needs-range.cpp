// A weight of c at length L needs a logit range of at least T log(c (L-1)/(1-c)) (docs/specification.md#lemma1):
// p1/(1-p1) is 1 / sum_{j>=2} exp(-(l_1 - l_j)/T) <= exp(range/T)/(L-1). What is needed grows with c, so c is the
// largest weight itself. Attained where all other logits are equal.
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  return sides::log_odds_over_uniform(instance, precision) * Interval(*instance.temperature, precision);
}

Interval rhs(const Instance& instance, Precision precision) { return {range(instance.logits), precision}; }

}  // namespace

Claim softmax_mass_needs_range() {
  return {
      .statement = {.source = "corrected Lemma 1, softmax",
                    .section = "1",
                    .text = "A softmax weight of c needs a range of logits of at least T log(c (L-1)/(1-c)).",
                    .proof = "For the largest weight p_1, p_1/(1-p_1) = 1 / (sum over j >= 2 of exp(-(l_1 - l_j)/T)), "
                             "and none of the L-1 terms is below exp(-g/T), g the range of the logits. Hence "
                             "p_1/(1-p_1) <= exp(g/T)/(L-1); its logarithm, times T, is the statement at c = p_1. A "
                             "smaller weight c needs no more, because c/(1-c) grows with c. Equality exactly where the "
                             "L-1 other logits are equal.",
                    .domain = "rational logits, L <= 24, T from 10^-30 to 10^30; captured rows at T = 1",
                    .kind = Sided{.parts = {{.left = "T log((L - 1) c/rest)",
                                             .right = "g",
                                             .lhs = lhs,
                                             .rhs = rhs,
                                             .attained = sides::one_logit_above_equal_others}},
                                  .hypotheses = {hypotheses::positive_temperature, hypotheses::at_least_two_tokens},
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .real = RealRows::logits,
                                  .proved =
                                      Proved{"all L >= 2, all real logits, all T > 0", "shift, scaling, permutation"}}},
      .expected = Expected::proved};
}

}  // namespace attncert
