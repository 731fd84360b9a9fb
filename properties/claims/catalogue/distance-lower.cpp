// ||xbar - (L-N+1) s|| <= d-tilde (docs/specification.md#theorem1, (iv)): the norm of a sum is at most the sum of the
// norms. Attained when all a_i x_i - s, i not in I, point one way.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

bool attained(const Instance& instance) {
  const Rational square = sides::exact_squared_norm(instance, sides::sum_of_differences(instance));
  return sides::exact_distance(instance) == SurdSum(1, square);
}

}  // namespace

Claim distance_lower() {
  return {
      .statement = {.source = "corrected Theorem 1, (iv)",
                    .section = "2",
                    .text = "d-tilde is at least the distance of the output xbar from (L-N+1) s.",
                    .proof = "d-tilde is the sum of the norms of the L-N vectors a_i x_i - s, hence at least the norm "
                             "of their sum. The unselected a_i x_i sum to xbar - s, and s is subtracted L-N times, "
                             "which makes xbar - (L-N+1) s. (A further triangle inequality gives (L-N+1) ||s|| - "
                             "||xbar||.) Equality where all a_i x_i - s, i not in I, point one way.",
                    .domain = "any tokens, any N of them selected, L <= 24, d <= 4; captured rows",
                    .kind = Sided{.parts = {{.left = "||xbar - (L-N+1) s||",
                                             .right = "d-tilde = sum over i not in I of ||a_i x_i - s||",
                                             .lhs = sides::norm_of_differences,
                                             .rhs = sides::distance,
                                             .attained = attained}},
                                  .hypotheses = sides::any_selection_hypotheses(),
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
