// E sum over i not in I of ||y_i - s||^2 = ((L-N)/L) [(N+1) A + N (N-3)/(L-1) (B-A)] over a uniformly random index set
// I (docs/specification.md#expected-distance), A = sum ||y_i||^2, B = ||xbar||^2, y_i = a_i x_i: the inclusion
// probabilities of one, two and three tokens, multiplied out. The left side visits every index set; both are rational.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/subsets.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational closed_form(const Instance& instance) {
  const sides::WeightedTokens tokens = sides::weighted_tokens(instance);
  const Rational length(instance.length), n(instance.count);
  const Rational squares = tokens.squares(), pairs = sum_of_squares(tokens.sum) - squares;
  return (length - n) / length * ((n + 1) * squares + n * (n - 3) / (length - 1) * pairs);
}

}  // namespace

Claim expected_squared_distance() {
  return {
      .statement = {.source = "corrected Theorem 1, expectation, second moment",
                    .section = "3",
                    .text = "The expected sum of squared distances over random index sets has a closed form in two "
                            "sums of the tokens.",
                    .proof = "For a uniformly random I, P(i out) = (L-N)/L, P(i out, j in) = (L-N)/L N/(L-1), P(i out, "
                             "j and k in) = (L-N)/L N (N-1)/((L-1)(L-2)). Multiply out ||y_i||^2 - 2 y_i.s + ||s||^2 "
                             "and sum over i not in I, leaving the factor (L-N)/L aside. The squares: A from "
                             "||y_i||^2, and N A from ||s||^2, because each selected j meets L-1 choices of i. The "
                             "products y_j.y_k, j != k, sum to B - A over ordered pairs; they get -2 N/(L-1) from the "
                             "middle term and N (N-1)/(L-1) from ||s||^2, each pair meeting L-2 choices of i. Together "
                             "(N+1) A + N (N-3)/(L-1) (B-A). At N = 3 only A is left, whatever the geometry.",
                    .domain = "any tokens, all index sets of N, 2 <= L <= 8, d <= 4; captured rows of 8 keys",
                    .kind = Sided{.parts = {{.left = "mean(I: sum(i not in I: |y_i - s|^2))",
                                             .right = "(L - N)/L ((N + 1) B2 + N (N - 3)/(L - 1) (all - B2))",
                                             .relation = Relation::equal,
                                             .lhs = sides::enclosed<sides::expected_squared_distance>,
                                             .rhs = sides::enclosed<closed_form>,
                                             .attained = sides::equal<sides::expected_squared_distance, closed_form>}},
                                  .hypotheses = sides::random_subset_hypotheses(),
                                  .attained_is_cheap = true,
                                  .longest = 8,
                                  .generate = free_selection,
                                  .real = RealRows::selections,
                                  .proved = Proved{"all weights and tokens of any d, 2 <= L <= 8, 1 <= N <= L",
                                                   "permutation, coordinates"}}},
      .expected = Expected::proved};
}

}  // namespace attncert
