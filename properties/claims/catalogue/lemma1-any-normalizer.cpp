// "Any F independent of L forces weights O(1/L)", arXiv 2508.17821, Lemma 1 as the slides state it
// (docs/specification.md#lemma1). Three families, each against one silent hypothesis: bounded logits, F without a zero,
// F separable.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
namespace {

// F = exp at logits (log(L-1), 0, ..., 0): the values are rational, the logits are not and stay out of the file.
ExactInstance unbounded(std::size_t length) {
  ExactInstance instance;
  instance.length = length;
  instance.F = {{Rational(static_cast<unsigned long>(length - 1)), 1}, {Rational(1), length - 1}};
  return instance;
}

// F = max(z, 0) at (1, -1, ..., -1)
ExactInstance with_zero(std::size_t length) {
  ExactInstance instance = sides::one_against_the_rest(length, 1, -1);
  instance.F = {{Rational(1), 1}, {Rational(0), length - 1}};
  return instance;
}

ExactInstance sparse(std::size_t length) { return sides::one_against_the_rest(length, 1, 0); }

}  // namespace

Claim lemma1_any_normalizer() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 1 as the slides state it",
                    .section = "1",
                    .text = "Any normalizer F that does not depend on L forces every weight to be O(1/L).",
                    .proof = "Three hypotheses are left unsaid, and one family breaks each. Logits whose range grows "
                             "like log L (F = exp at (log(L-1), 0, .., 0)) keep a_1 = 1/2 at every length. A "
                             "nonnegative F that has a zero (max(z, 0) at (1, -1, .., -1)) gives the first token "
                             "everything. Sparsemax, which is not of the form F / sum F, does the same at (1, 0, .., "
                             "0). For a positive separable F whose values stay within a factor R of each other, "
                             "weights-order-sharp holds, and with it the order 1/L.",
                    .domain = "L = 2, 4, ..., 2^20, and all L by the closed form; C = 1, 10, ..., 10^6",
                    .kind =
                        Families{.left = "L a_1 along three families",
                                 .right = "any constant C",
                                 .families =
                                     {{.name = "unbounded-logits",
                                       .text = "F = exp, logits (log(L-1), 0, ..., 0): a_1 = 1/2 for every L",
                                       .rule = "separable",
                                       .quantity = "length-times-first-weight",
                                       .member = unbounded,
                                       .value = sides::length_times_first_separable_weight,
                                       .closed_form = {{Rational(0), ratio(1, 2)}, {Rational(1)}},
                                       .why_all_lengths = "a_1 = (L-1)/((L-1) + (L-1)) = 1/2"},
                                      {.name = "zero-of-f",
                                       .text = "F = max(z, 0), logits (1, -1, ..., -1) in [-1, 1]: a_1 = 1 for every L",
                                       .rule = "separable",
                                       .quantity = "length-times-first-weight",
                                       .member = with_zero,
                                       .value = sides::length_times_first_separable_weight,
                                       .closed_form = {{Rational(0), Rational(1)}, {Rational(1)}},
                                       .why_all_lengths = "F vanishes at every other logit, so a_1 = 1"},
                                      {.name = "non-separable",
                                       .text = "sparsemax, logits (1, 0, ..., 0) in [0, 1]: a_1 = 1 for every L",
                                       .rule = "sparsemax",
                                       .quantity = "length-times-first-weight",
                                       .member = sparse,
                                       .value = sides::length_times_first_sparsemax_weight,
                                       .closed_form = {{Rational(0), Rational(1)}, {Rational(1)}},
                                       .why_all_lengths = "the threshold is 0: the first logit alone sums to 1"}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert
