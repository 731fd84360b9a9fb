// 1/(1 + (L-1) R) <= a_i <= R/(R + L - 1), R = max F / min F (docs/specification.md#lemma1): the corrected Lemma 1.
// Both ends in one line: the largest of a_max (R + L - 1)/R and 1/(a_min (1 + (L-1) R)) is at most 1. Attained by one
// token at one extreme of F and the rest at the other.
#include <algorithm>

#include "properties/claims/catalogue/sides/cover.hpp"
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational exact_lhs(const Instance& instance) {
  const Rational total = sum(instance.F);
  const auto [smallest, largest] = std::minmax_element(instance.F.begin(), instance.F.end());
  const Rational ratio = *largest / *smallest, others(instance.length - 1);
  const Rational above = *largest / total * (ratio + others) / ratio;
  const Rational below = 1 / (*smallest / total * (1 + others * ratio));
  return std::max(above, below);
}

// x[3] = 1/(L-1). R/(R + n) = share/(share + floor) and 1/(1 + n R) = floor share/(floor share + 1) with share = 1/n.
std::vector<CoverPiece> pieces() {
  const auto above = [](sides::Point x) { return x[3] / (x[3] + x[0]) - sides::weight_of_one(x); };
  const auto below = [](sides::Point x) { return sides::weight_of_one(x) - x[0] * x[3] / (x[0] * x[3] + 1); };
  return {{.name = "above", .coordinates = 4, .slack = above}, {.name = "below", .coordinates = 4, .slack = below}};
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
           .kind = Sided{.left = "max{ a_max (R+L-1)/R, 1/(a_min (1+(L-1)R)) }",
                         .right = "1",
                         .hypotheses = {hypotheses::positive_values},
                         .lhs = sides::enclosed<exact_lhs>,
                         .rhs = sides::constant<1>,
                         .attained = sides::is<exact_lhs, 1>,
                         .generate = separable_row,
                         .cover = Cover{"all L >= 2, all positive F of any R", {"scaling", "permutation"}, pieces}}},
      .expected = Expected::proved};
}

}  // namespace attncert
