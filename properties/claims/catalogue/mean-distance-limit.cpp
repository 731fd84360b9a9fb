// |d-tilde/(L-N) - ||s||| <= (1-A) M / (L-N), M = max ||x_i|| (docs/specification.md#collapse): the mean distance
// follows ||s||, so it collapses only where ||s|| does. From |f_i - ||s||| <= a_i ||x_i|| for every unselected token.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval above(const Instance& instance, Precision precision) {
  return sides::distance_beyond_context(instance, precision) / Interval(sides::outside(instance), precision);
}
Interval below(const Instance& instance, Precision precision) { return -above(instance, precision); }

Interval rhs(const Instance& instance, Precision precision) {
  const Rational share = (1 - instance.selected_mass()) / sides::outside(instance);
  return Interval(share, precision) * instance.selection(precision).largest;
}

SurdSum exact_rhs(const Instance& instance) {  // times L-N
  return {1 - instance.selected_mass(), sides::exact_largest_square(instance)};
}
bool attained_above(const Instance& instance) {
  return sides::distance_beyond_context_is(instance, exact_rhs(instance));
}
bool attained_below(const Instance& instance) {
  return sides::context_beyond_distance_is(instance, exact_rhs(instance));
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
                    .kind = Sided{.parts = {{.name = "above",
                                             .left = "d-tilde/(L-N) - ||s||",
                                             .right = "(1-A) max ||x_i|| / (L-N)",
                                             .lhs = above,
                                             .rhs = rhs,
                                             .attained = attained_above},
                                            {.name = "below",
                                             .left = "||s|| - d-tilde/(L-N)",
                                             .right = "(1-A) max ||x_i|| / (L-N)",
                                             .lhs = below,
                                             .rhs = rhs,
                                             .attained = attained_below}},
                                  .hypotheses = sides::any_selection_hypotheses({hypotheses::something_unselected}),
                                  .generate = any_selection,
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
