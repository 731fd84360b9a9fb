// ||J||_2 <= (max |F'| / S) sqrt(L) ||a|| for a separable positive F (claims.md section 8): I - a 1^T is a projector of rank
// L-1, so for L >= 2 its norm is that of a 1^T. Attained where |F'| is constant.
#include <algorithm>

#include "properties/claims/claim.hpp"
#include "properties/claims/sides/separable.hpp"
#include "properties/generators/hypotheses.hpp"
#include "properties/generators/instances.hpp"

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
  return {.statement = {.id = "jacobian-sharp-slope",
                        .source = "corrected Lemma 2, sharp in the weights and max |F'|",
                        .section = "8",
                        .text = "The Jacobian of a separable positive F is bounded by max|F'|/S and the weights' norm.",
                        .left = "||J||_2",
                        .right = "(max |F'| / S) sqrt(L) ||a||",
                        .hypotheses = {{"F > 0 at every logit", hypotheses::positive_values}},
                        .lhs = sides::jacobian_norm,
                        .rhs = rhs,
                        .attained = attained,
                        .generate = separable_row,
                        .domain = "values F > 0 and derivatives at the logits, L <= 24"},
          .expected = Expected::supported};
}

}  // namespace attncert
