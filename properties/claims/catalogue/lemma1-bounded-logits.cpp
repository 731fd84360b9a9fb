// C1/L <= a_i <= C2/L with C1, C2 free of L, arXiv 2508.17821, Lemma 1 with its hypotheses
// (docs/specification.md#lemma1): positive F on a bounded range of logits. The constants are C1 = inf F / sup F and C2
// = sup F / inf F; on a row they are at best 1/R and R, R = max F / min F. In one line: the largest of L a_max / R and
// 1/(L a_min R) is at most 1.
#include <algorithm>

#include "properties/claims/catalogue/sides/cover.hpp"
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

// L a_max / R = L min F / S and 1/(L a_min R) = S / (L max F)
Rational exact_lhs(const Instance& instance) {
  const Rational total = sum(instance.F);
  const auto [smallest, largest] = std::minmax_element(instance.F.begin(), instance.F.end());
  const Rational most = *largest / total, least = *smallest / total, spread = *largest / *smallest;
  const Rational above = most * instance.length / spread, below = 1 / (least * instance.length * spread);
  return std::max(above, below);
}

// x[3] = 1/(L-1), so that 1/L = x[3]/(1 + x[3]).
std::vector<CoverPiece> pieces() {
  const auto above = [](sides::Point x) { return x[3] / (x[0] * (1 + x[3])) - sides::weight_of_one(x); };
  const auto below = [](sides::Point x) { return sides::weight_of_one(x) - x[0] * x[3] / (1 + x[3]); };
  return {{.name = "above", .coordinates = 4, .slack = above}, {.name = "below", .coordinates = 4, .slack = below}};
}

}  // namespace

Claim lemma1_bounded_logits() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 1 with bounded logits",
                    .section = "1",
                    .text = "Where F is positive and bounded away from 0 and infinity, every weight is of order "
                            "1/L: between 1/(R L) and R/L.",
                    .proof = "L a_max / R = L min F / S and 1/(L a_min R) = S / (L max F), and S, a sum of L values, "
                             "lies between L min F and L max F. So the constants C1 = 1/R and C2 = R serve at every "
                             "length, R being the ratio of the extremes of F on the range of the logits, which must "
                             "not depend on L. The best ends at a given L are those of weights-order-sharp. Equality: "
                             "F constant.",
                    .domain = "values F > 0 at the logits, L <= 24",
                    .kind =
                        Sided{
                            .left = "max{ L a_max / R, 1/(L a_min R) }, R = max F / min F",
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
