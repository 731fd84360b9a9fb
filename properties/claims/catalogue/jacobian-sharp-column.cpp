// ||J||_2 <= (||F'|| / S) sqrt(1 - 2 a_min + ||a||^2) for a separable positive F (docs/specification.md#lemma2): the
// norm of column j is |F'_j|/S sqrt(1 - 2 a_j + ||a||^2), and ||J||_2 is at most the root of the sum of their squares.
// Attained where F' is supported on one token of smallest weight.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational squared_rhs(const Instance& instance) {
  const sides::WeightsAndSlopes row(instance);
  const Rational& least = *std::min_element(row.a.begin(), row.a.end());
  return sum_of_squares(row.g) * (1 - 2 * least + sum_of_squares(row.a));
}

}  // namespace

Claim jacobian_sharp_column() {
  return {
      .statement = {.source = "corrected Lemma 2, sharp in the weights and ||F'||",
                    .section = "8",
                    .text = "The Jacobian of a separable positive F is bounded by ||F'||/S and the least weight.",
                    .proof = "||J||_2^2 <= ||J||_F^2 = sum over j of g_j^2 (1 - 2 a_j + ||a||^2) by "
                             "jacobian-frobenius. The bracket is largest at the smallest weight, and sum g_j^2 = "
                             "||F'||^2/S^2. Equality where F' lives on one token of smallest weight, because J then "
                             "has one column (at L = 2 with equal weights for every F'). For the Frobenius norm F' may "
                             "live on several tokens of smallest weight.",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.parts = {{.left = "||J||_2",
                                             .right = "(||F'|| / S) sqrt(1 - 2 a_min + ||a||^2)",
                                             .lhs = sides::jacobian_norm,
                                             .rhs = sides::root<squared_rhs>,
                                             .attained = sides::squared_jacobian_norm_is<squared_rhs>}},
                                  .hypotheses = {hypotheses::values_with_slopes},
                                  .attained_is_cheap = true,
                                  .generate = separable_row,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::separable({1, 1}, {4, 0}), known::separable({3, 2, 1}, {0, 0, 1}),
                                            known::separable(known::Row(4096, 1), known::repeated(1, 0, 4096))};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert
