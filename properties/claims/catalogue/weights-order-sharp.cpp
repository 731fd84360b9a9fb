// 1/(1 + (L-1) R) <= a_i <= R/(R + L - 1), R = max F / min F (docs/specification.md#lemma1): the corrected Lemma 1.
// Attained by one
// token at one extreme of F and the rest at the other.
#include <algorithm>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

struct Row {
  Rational largest, smallest, ratio, others;  // of the weights; R; L - 1
  explicit Row(const Instance& instance) : others(instance.length - 1) {
    const auto [least, most] = std::minmax_element(instance.F.begin(), instance.F.end());
    const Rational total = sum(instance.F);
    largest = *most / total, smallest = *least / total, ratio = *most / *least;
  }
};

Rational largest(const Instance& instance) { return Row(instance).largest; }
Rational smallest(const Instance& instance) { return Row(instance).smallest; }
Rational upper_end(const Instance& instance) {
  const Row row(instance);
  return row.ratio / (row.ratio + row.others);
}
Rational lower_end(const Instance& instance) {
  const Row row(instance);
  return 1 / (1 + row.others * row.ratio);
}

}  // namespace

Claim weights_order_sharp() {
  return {
      .statement =
          {.source = "corrected Lemma 1",
           .section = "1",
           .text = "Every weight of a separable positive F lies between 1/(1+(L-1)R) and R/(R+L-1), R = max F / min F.",
           .proof = "Divide a_i = F_i / S by F_i above and below: a_i = 1 / (1 + sum over j != i of F_j/F_i), "
                    "where each of the L-1 quotients lies between 1/R and R. All of them 1/R give the upper "
                    "end, 1/(1 + (L-1)/R) = R/(R + L - 1); all of them R give the lower end. Both ends are "
                    "attained, by one token at one extreme of F and all others at the other extreme.",
           .domain = "values F > 0 at the logits, L <= 24",
           .kind = Sided{.parts = {{.name = "above",
                                    .left = "max(i: a_i)",
                                    .right = "R/(R + L - 1)",
                                    .lhs = sides::enclosed<largest>,
                                    .rhs = sides::enclosed<upper_end>,
                                    .attained = sides::equal<largest, upper_end>},
                                   {.name = "below",
                                    .left = "1/(1 + (L - 1) R)",
                                    .right = "min(i: a_i)",
                                    .lhs = sides::enclosed<lower_end>,
                                    .rhs = sides::enclosed<smallest>,
                                    .attained = sides::equal<lower_end, smallest>}},
                         .hypotheses = {hypotheses::positive_values, hypotheses::at_least_two_tokens},
                         .generate = separable_row,
                         .proved = Proved{"all L >= 2, all positive F of any R", "scaling, permutation"}}},
      .expected = Expected::proved};
}

}  // namespace attncert
