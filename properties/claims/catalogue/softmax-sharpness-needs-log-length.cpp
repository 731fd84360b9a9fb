// 1/(2T) >= log((1-eta)(L-1)/eta) / (2g) (docs/specification.md#tradeoff): where logits of range g give one token the
// weight 1 - eta, softmax's worst-case Lipschitz constant 1/(2T) has grown like log L. What is needed falls with eta,
// so eta = 1 - p_max. Attained at g e_1, and wherever all other logits are equal.
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  return sides::log_odds_over_uniform(instance, precision) / Interval(Rational(2 * range(instance.logits)), precision);
}

Truth positive_range(const Instance& instance) { return truth(!sides::all_logits_equal(instance)); }

}  // namespace

Claim softmax_sharpness_needs_log_length() {
  return {
      .statement = {.source = "corrected selectivity-stability tradeoff, softmax",
                    .section = "11",
                    .text = "Softmax that gives one token 1 - eta at range g has Lipschitz constant at least "
                            "log((1-eta)(L-1)/eta)/(2g).",
                    .proof = "softmax-mass-needs-range at c = 1 - eta says T log((1-eta)(L-1)/eta) <= g; divide by 2 g "
                             "T. 1/(2T) is the Lipschitz constant of softmax (softmax-half-over-temperature), so at a "
                             "fixed range g and a fixed eta it has to grow like log L. Equality where all logits but "
                             "the largest are equal, as at g e_1. It is softmax that pays this price, not every "
                             "normalizer: sparsemax does not (sharpness-needs-gain).",
                    .domain = "rational logits, L <= 24, T from 10^-30 to 10^30; captured rows at T = 1",
                    .kind = Sided{.parts = {{.left = "log((L - 1) c/rest)/(2 g)",
                                             .right = "1/(2 T)",
                                             .lhs = lhs,
                                             .rhs = sides::constant_over_temperature<1, 2>,
                                             .attained = sides::one_logit_above_equal_others}},
                                  .hypotheses = {hypotheses::positive_temperature,
                                                 hypotheses::at_least_two_tokens,
                                                 {"g > 0", positive_range}},
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .real = RealRows::logits,
                                  .proved = Proved{"all L >= 2, all real logits of range g > 0, all T > 0",
                                                   "shift, scaling, permutation, the Lipschitz constant 1/(2T)"}}},
      .expected = Expected::proved};
}

}  // namespace attncert
