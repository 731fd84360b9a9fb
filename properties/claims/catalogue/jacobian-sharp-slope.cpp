// ||J||_2 <= (max |F'| / S) sqrt(L) ||a|| for a separable positive F (docs/specification.md#lemma2): I - a 1^T is a
// projector of rank L-1, so for L >= 2 its norm is that of a 1^T. Attained where |F'| is constant.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational squared_rhs(const Instance& instance) {
  const sides::WeightsAndSlopes row(instance);
  Rational steepest = 0;
  for (const Rational& slope : row.g) steepest = std::max<Rational>(steepest, slope * slope);
  return steepest * instance.length * sum_of_squares(row.a);
}

}  // namespace

Claim jacobian_sharp_slope() {
  return {
      .statement = {.source = "corrected Lemma 2, sharp in the weights and max |F'|",
                    .section = "8",
                    .text = "The Jacobian of a separable positive F is bounded by max|F'|/S and the weights' norm.",
                    .proof = "J = P diag(g) with P = I - a 1^T and |g_j| <= max |F'|/S, so ||J|| <= ||P|| max |F'|/S. "
                             "The weights sum to 1, hence (a 1^T)^2 = a 1^T: P and I - P = a 1^T are complementary "
                             "projectors, neither of them 0 for L >= 2, and such projectors have equal norms. That of "
                             "a 1^T is sqrt(L) ||a||. At L = 1 J = 0. Equality where |F'| is constant: a diagonal "
                             "matrix of signs changes no norm.",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.parts = {{.left = "||J||_2",
                                             .right = "(max |F'| / S) sqrt(L) ||a||",
                                             .lhs = sides::jacobian_norm,
                                             .rhs = sides::root<squared_rhs>,
                                             .attained = sides::squared_jacobian_norm_is<squared_rhs>}},
                                  .hypotheses = {hypotheses::values_with_slopes},
                                  .attained_is_cheap = true,
                                  .generate = separable_row,
                                  .known =
                                      [] {
                                        return known::Instances{known::separable({1, 1}, {1, -1}),
                                                                known::separable({1, 2, 3}, {1, -1, 1})};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert
