// ||a - a'||_2 <= sqrt2 for weights on the simplex (docs/specification.md#lemma2): what is true of the cap that Lemma 2
// puts on the Jacobian. ||a - a'||^2 = ||a||^2 + ||a'||^2 - 2 a.a' <= 1 + 1 - 0, with equality for two different
// vertices only.
#include "properties/claims/catalogue/sides/cover.hpp"
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/weights.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational square_of_distance(const Instance& instance) {
  return squared_distance(instance.weights, instance.other_weights);
}

Truth both_on_simplex(const Instance& instance) {
  return truth(instance.weights.size() == instance.length && on_simplex(instance.weights) &&
               instance.other_weights.size() == instance.length && on_simplex(instance.other_weights));
}

// sqrt2 - ||a - a'|| = (2 - ||a - a'||^2) / (sqrt2 + ||a - a'||), the numerator exact: weights may be 10^-14 from a
// vertex.
Interval slack(const Instance& instance, Precision precision) {
  return Interval(Rational(2 - square_of_distance(instance)), precision) /
         (sides::root_of_two(instance, precision) + sides::root<square_of_distance>(instance, precision));
}

constexpr std::string_view proof =
    "The squared norm of a difference is ||a||^2 + ||a'||^2 - 2 a.a'. Entries in [0, 1] of sum 1 have squares of sum "
    "at most 1, "
    "with equality at the vertices only, and a.a' >= 0, with equality at different vertices.";

// Token by token (a - a')^2 <= a + a' for a, a' in [0, 1]: the sum over the tokens of two rows is at most 2.
std::vector<CoverPiece> pieces() {
  const auto slack = [](sides::Point x) { return x[0] + x[1] - (x[0] - x[1]) * (x[0] - x[1]); };
  return {{.name = "token", .coordinates = 2, .slack = slack}};
}

}  // namespace

Claim weights_diameter() {
  return {.statement = {.source = "corrected Lemma 2, the cap sqrt2 for differences of weights",
                        .section = "8b",
                        .text = "Two rows of weights differ by at most sqrt2.",
                        .proof = proof,
                        .domain = "pairs of rational rows of weights, L <= 24",
                        .kind = Sided{.left = "||a - a'||_2",
                                      .right = "sqrt2",
                                      .hypotheses = {{"a_i, a'_i >= 0 and sum a_i = sum a'_i = 1", both_on_simplex}},
                                      .lhs = sides::root<square_of_distance>,
                                      .rhs = sides::root_of_two,
                                      .slack = slack,
                                      .attained = sides::is<square_of_distance, 2>,
                                      .attained_is_cheap = true,
                                      .generate = weight_pair,
                                      .cover = Cover{"all L, all weights", {"permutation"}, pieces}}},
          .expected = Expected::proved};
}

}  // namespace attncert
