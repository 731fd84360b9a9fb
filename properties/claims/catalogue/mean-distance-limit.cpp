// |d-tilde/(L-N) - ||s||| <= (1-A) M / (L-N), M = max ||x_i|| (docs/specification.md#collapse): the mean distance
// follows ||s||, so it collapses only where ||s|| does. From |f_i - ||s||| <= a_i ||x_i|| for every unselected token.
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  return sides::distance_beyond_context(instance, precision) / Interval(sides::outside(instance), precision);
}

Interval rhs(const Instance& instance, Precision precision) {
  const Rational share = (1 - instance.selected_mass()) / sides::outside(instance);
  return Interval(share, precision) * instance.selection(precision).largest;
}

bool attained(const Instance& instance) {
  const SurdSum right(1 - instance.selected_mass(), sides::exact_largest_square(instance));
  return sides::distance_beyond_context_is(instance, right);
}

}  // namespace

Claim mean_distance_limit() {
  return {
      .statement = {.source = "corrected corollary of Theorem 1",
                    .section = "4",
                    .text = "The mean distance of the unselected tokens is ||s|| up to (1-A) M / (L-N).",
                    .proof = "Divide distance-two-sided by L-N, and use a_i ||x_i|| <= a_i M, where the unselected "
                             "weights sum to 1 - A. So if L-N grows and M stays bounded, the mean distance tends to 0 "
                             "exactly where ||s|| does; and d-tilde itself can tend to 0 only if ||s|| <= (d-tilde + "
                             "(1-A) M)/(L-N), that is, for N = c L with c < 1, if ||s|| falls like 1/L. Equality: "
                             "unselected tokens of norm M that point against s.",
                    .domain = "any tokens, any N < L of them selected, L <= 24, d <= 4; captured rows",
                    .kind = Sided{.left = "|d-tilde / (L-N) - ||s|| |",
                                  .right = "(1-A) max ||x_i|| / (L-N)",
                                  .hypotheses = sides::any_selection_hypotheses({hypotheses::something_unselected}),
                                  .lhs = lhs,
                                  .rhs = rhs,
                                  .attained = attained,
                                  .generate = any_selection,
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
