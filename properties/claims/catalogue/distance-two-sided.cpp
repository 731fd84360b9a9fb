// |d-tilde - (L-N) ||s||| <= sum over i not in I of a_i ||x_i|| (docs/specification.md#theorem1, (iii)): the triangle
// inequality for every unselected token. d-tilde is (L-N) ||s|| up to at most one token norm.
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval rhs(const Instance& instance, Precision precision) { return instance.selection(precision).unselected_mass; }

bool attained(const Instance& instance) {
  SurdSum right;
  for (const std::size_t i : instance.unselected()) right.add(instance.weights[i], instance.tokens->squared_norm(i));
  return sides::distance_beyond_context_is(instance, right);
}

}  // namespace

Claim distance_two_sided() {
  return {
      .statement = {.source = "corrected Theorem 1, (iii)",
                    .section = "2",
                    .text = "d-tilde equals (L-N) ||s|| up to the weighted norms of the unselected tokens.",
                    .proof = "| ||a_i x_i - s|| - ||s|| | <= a_i ||x_i|| by the triangle inequality; sum over the L-N "
                             "unselected tokens. With |a_i| in place of a_i neither the sum 1 nor the sign of the "
                             "weights matters, so the bound also serves normalizers whose weights do not sum to 1. The "
                             "right side is at most (1-A) max ||x_i||: d-tilde is (L-N) ||s|| up to one token norm. "
                             "Equality from above: every unselected x_i points against s; from below: along s, with "
                             "a_i ||x_i|| <= ||s||.",
                    .domain = "any tokens, L <= 24, d <= 4; captured rows",
                    .kind = Sided{.left = "|d-tilde - (L-N) ||s|| |",
                                  .right = "sum over i not in I of a_i ||x_i||",
                                  .hypotheses = sides::selection_hypotheses(),
                                  .lhs = sides::distance_beyond_context,
                                  .rhs = rhs,
                                  .attained = attained,
                                  .generate = free_selection,
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
