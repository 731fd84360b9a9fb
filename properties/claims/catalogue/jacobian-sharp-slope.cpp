// ||J||_2 <= (max |F'| / S) sqrt(L) ||a|| for a separable positive F (docs/specification.md#lemma2): I - a 1^T is a
// projector of rank L-1, so for L >= 2 its norm is that of a 1^T. Attained where |F'| is constant.
#include <algorithm>

#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/claim.hpp"
#include "properties/claims/instances/hypotheses.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Rational squared_rhs(const Instance& instance) {
  Rational total = 0, squares = 0, steepest = 0;
  for (const Rational& value : instance.F) total += value;
  for (const Rational& value : instance.F) squares += value / total * (value / total);
  for (const Rational& slope : instance.dF) steepest = std::max(steepest, Rational(slope / total * (slope / total)));
  return steepest * static_cast<unsigned long>(instance.length) * squares;
}

Interval rhs(const Instance& instance, Precision precision) { return sqrt(Interval(squared_rhs(instance), precision)); }

bool attained(const Instance& instance) { return sides::squared_jacobian_norm_is(instance, squared_rhs(instance)); }

}  // namespace

Claim jacobian_sharp_slope() {
  return {
      .statement = {.id = "jacobian-sharp-slope",
                    .source = "corrected Lemma 2, sharp in the weights and max |F'|",
                    .section = "8",
                    .text = "The Jacobian of a separable positive F is bounded by max|F'|/S and the weights' norm.",
                    .proof = "J = P diag(g) with P = I - a 1^T and |g_j| <= max |F'|/S, so ||J|| <= ||P|| max |F'|/S. "
                             "The weights sum to 1, hence (a 1^T)^2 = a 1^T: P and I - P = a 1^T are complementary "
                             "projectors, neither of them 0 for L >= 2, and such projectors have equal norms. That of "
                             "a 1^T is sqrt(L) ||a||. At L = 1 J = 0. Equality where |F'| is constant: a diagonal "
                             "matrix of signs changes no norm.",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.left = "||J||_2",
                                  .right = "(max |F'| / S) sqrt(L) ||a||",
                                  .hypotheses = {{"F > 0 at every logit", hypotheses::positive_values}},
                                  .lhs = sides::jacobian_norm,
                                  .rhs = rhs,
                                  .attained = attained,
                                  .generate = separable_row}},
      .expected = Expected::supported};
}

}  // namespace attncert
