// ||J||_2 <= (||F'|| / S) sqrt(1 - 2 a_min + ||a||^2) for a separable positive F (docs/specification.md#lemma2): the
// norm of column j is |F'_j|/S sqrt(1 - 2 a_j + ||a||^2), and ||J||_2 is at most the root of the sum of their squares.
// Attained where F' is supported on one token of smallest weight.
#include <algorithm>

#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/claim.hpp"
#include "properties/claims/instances/hypotheses.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Rational squared_rhs(const Instance& instance) {
  Rational total = 0, squares = 0, slopes = 0;
  for (const Rational& value : instance.F) total += value;
  for (const Rational& value : instance.F) squares += value / total * (value / total);
  for (const Rational& slope : instance.dF) slopes += slope / total * (slope / total);
  const Rational least = *std::min_element(instance.F.begin(), instance.F.end()) / total;
  return slopes * (1 - 2 * least + squares);
}

Interval rhs(const Instance& instance, Precision precision) { return sqrt(Interval(squared_rhs(instance), precision)); }

bool attained(const Instance& instance) { return sides::squared_jacobian_norm_is(instance, squared_rhs(instance)); }

}  // namespace

Claim jacobian_sharp_column() {
  return {
      .statement = {.id = "jacobian-sharp-column",
                    .source = "corrected Lemma 2, sharp in the weights and ||F'||",
                    .section = "8",
                    .text = "The Jacobian of a separable positive F is bounded by ||F'||/S and the least weight.",
                    .proof = "||J||_2^2 <= ||J||_F^2 = sum over j of g_j^2 (1 - 2 a_j + ||a||^2) by "
                             "jacobian-frobenius. The bracket is largest at the smallest weight, and sum g_j^2 = "
                             "||F'||^2/S^2. Equality where F' lives on one token of smallest weight, because J then "
                             "has one column (at L = 2 with equal weights for every F'). For the Frobenius norm F' may "
                             "live on several tokens of smallest weight.",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.left = "||J||_2",
                                  .right = "(||F'|| / S) sqrt(1 - 2 a_min + ||a||^2)",
                                  .hypotheses = {{"F > 0 at every logit", hypotheses::positive_values}},
                                  .lhs = sides::jacobian_norm,
                                  .rhs = rhs,
                                  .attained = attained,
                                  .generate = separable_row}},
      .expected = Expected::supported};
}

}  // namespace attncert
