// |d-tilde - (L-N) ||s||| <= sum over i not in I of a_i ||x_i|| (docs/specification.md#theorem1, (iii)): the triangle
// inequality for every unselected token. d-tilde is (L-N) ||s|| up to at most one token norm.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval rhs(const Instance& instance, Precision precision) { return instance.selection(precision).unselected_mass; }

SurdSum exact_rhs(const Instance& instance) {
  SurdSum right;
  for (const std::size_t i : instance.unselected()) right.add(instance.weights[i], instance.tokens->squared_norm(i));
  return right;
}
bool attained_above(const Instance& instance) {
  return sides::distance_beyond_context_is(instance, exact_rhs(instance));
}
bool attained_below(const Instance& instance) {
  return sides::context_beyond_distance_is(instance, exact_rhs(instance));
}

Interval below(const Instance& instance, Precision precision) {
  return -sides::distance_beyond_context(instance, precision);
}

}  // namespace

Claim distance_two_sided() {
  return {
      .statement =
          {.source = "corrected Theorem 1, (iii)",
           .section = "2",
           .text =
               "For any index set and weights of any sum, d-tilde equals (L-N) ||s|| up to the weighted norms of the "
               "unselected tokens.",
           .proof = "| ||a_i x_i - s|| - ||s|| | <= a_i ||x_i|| by the triangle inequality; sum over the L-N "
                    "unselected tokens. Neither which tokens are selected nor the sum of the weights matters, so the "
                    "bound also serves normalizers whose weights do not sum to 1. Where they do, the "
                    "right side is at most (1-A) max ||x_i||: d-tilde is (L-N) ||s|| up to one token norm. "
                    "Equality from above: every unselected x_i points against s; from below: along s, with "
                    "a_i ||x_i|| <= ||s||.",
           .domain = "any tokens, sets and weights >= 0, L <= 24, d <= 4; captured rows",
           .kind = Sided{.parts = {{.name = "above",
                                    .left = "d-tilde - (L-N) ||s||",
                                    .right = "sum over i not in I of a_i ||x_i||",
                                    .lhs = sides::distance_beyond_context,
                                    .rhs = rhs,
                                    .attained = attained_above},
                                   {.name = "below",
                                    .left = "(L-N) ||s|| - d-tilde",
                                    .right = "sum over i not in I of a_i ||x_i||",
                                    .lhs = below,
                                    .rhs = rhs,
                                    .attained = attained_below}},
                         .hypotheses = {hypotheses::tokens_and_selection, hypotheses::nonnegative_weights},
                         .generate = unnormalized_selection,
                         .known =
                             [] {
                               return known::Instances{
                                   known::selection({ratio(3, 4), ratio(1, 4)}, 1, {1, 1}, 1),
                                   known::selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1),
                                   known::selection({ratio(3, 8), ratio(3, 8), ratio(1, 8), ratio(1, 8)}, 1,
                                                    {1, 1, -1, -1}, 2)};
                             },
                         .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
