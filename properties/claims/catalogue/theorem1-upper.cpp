// d-tilde <= (1-A) d1 + max ||x_j||^2 [A (L-N) - (1-A)], arXiv 2508.17821, Theorem 1 as printed
// (docs/specification.md#theorem1). The square makes the right side of degree 2 in the tokens and the left of degree 1:
// scale alone decides.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval rhs(const Instance& instance, Precision precision) {
  const Interval& largest = instance.selection(precision).largest_selected;
  return sides::unselected_times_d1(instance, precision) + square(largest) * sides::bracket(instance, precision);
}

bool attained(const Instance& instance) {
  SurdSum right = sides::exact_d1_term(instance);
  right.add(sides::exact_bracket(instance) * sides::exact_largest_selected_square(instance), 1);
  return sides::exact_distance(instance) == right;
}

}  // namespace

Claim theorem1_upper() {
  return {
      .statement = {.source = "arXiv 2508.17821, Theorem 1, upper bound as printed",
                    .section = "2",
                    .text = "The summed distance d-tilde between the context s of the top N tokens and the unselected "
                            "tokens is at most (1-A) d1 + max ||x_j||^2 [A (L-N) - (1-A)].",
                    .proof = "The left side is of degree 1 in the tokens, the second term on the right of degree 2, so "
                             "that short tokens break it. With L = 2, N = 1, a = (3/4, 1/4) and both tokens t > 0 on a "
                             "line, t/2 stands against t^2/2: the quotient 1/t has no bound. With L = 1 both sides are "
                             "0, so that no smaller L or d violates it. Without the square it is distance-upper, which "
                             "holds for every top-N set; as printed it holds where max ||x_j|| >= 1 over I, as of unit "
                             "tokens, of which both are the same bound.",
                    .domain = "any tokens, L <= 24, d <= 4; captured rows",
                    .kind = Sided{.parts = {{.left = "d-tilde = sum over i not in I of ||a_i x_i - s||",
                                             .right = "(1-A) d1 + max_{j in I} ||x_j||^2 [A (L-N) - (1-A)]",
                                             .lhs = sides::distance,
                                             .rhs = rhs,
                                             .attained = attained}},
                                  .hypotheses = sides::selection_hypotheses(),
                                  .generate = free_selection,
                                  .known =
                                      [] {
                                        return known::Instances{known::selection({ratio(3, 4), ratio(1, 4)}, 1,
                                                                                 {ratio(1, 2), ratio(1, 2)}, 1)};
                                      },
                                  .real = RealRows::selections}},
      .expected = Expected::refuted};
}

}  // namespace attncert
