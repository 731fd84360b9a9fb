// ||(sum over i not in I of a_i x_i) - s|| <= (1-A) d1 + max ||x_j|| [A (L-N) - (1-A)]: Theorem 1 of arXiv 2508.17821
// read with s subtracted once (docs/specification.md#theorem1). At equal tokens and uniform weights the right side
// vanishes. At N = L there is no sum and no d1: that case is left out.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

const sides::Mixture unselected_minus_context{-1, 1};

Interval lhs(const Instance& instance, Precision precision) {
  return sides::mixed_norm(instance, unselected_minus_context, precision);
}

bool attained(const Instance& instance) {
  const Rational square = sides::exact_squared_norm(instance, unselected_minus_context);
  return SurdSum(1, square) == sides::exact_plain_upper(instance);
}

}  // namespace

Claim theorem1_upper_norm_of_weighted_sum() {
  return {
      .statement =
          {.source = "arXiv 2508.17821, Theorem 1, upper bound, s subtracted once",
           .section = "2",
           .text = "The distance of s from the weighted sum of the unselected tokens is bounded by the "
                   "right side without a square.",
           .proof = "s is subtracted once on the left, while the bracket on the right is made for L-N "
                    "subtractions less the weights. At uniform weights and N = 1 the bracket is (L-1)/L - (1 "
                    "- 1/L) = 0, and equal tokens have d1 = 0: the right side vanishes, and the left is "
                    "(L-2)/L ||x|| > 0 from L = 3 on. With s subtracted from every term it is "
                    "theorem1-upper-norm-of-sum, which holds.",
           .domain = "any tokens, L <= 24, d <= 4; captured rows",
           .kind = Sided{.parts = {{.left = "||(sum over i not in I of a_i x_i) - s||",
                                    .right = "(1-A) d1 + max_{j in I} ||x_j|| [A (L-N) - (1-A)]",
                                    .lhs = lhs,
                                    .rhs = sides::plain_upper,
                                    .attained = attained}},
                         .hypotheses = sides::selection_hypotheses({hypotheses::something_unselected}),
                         .generate = free_selection,
                         .known =
                             [] {
                               return known::Instances{known::selection(known::Row(3, ratio(1, 3)), 1, {1, 1, 1}, 1)};
                             },
                         .real = RealRows::selections}},
      .expected = Expected::refuted};
}

}  // namespace attncert
