// ||a - a'||_2 <= sqrt2 for weights on the simplex (docs/specification.md#lemma2): what is true of the cap that Lemma 2
// puts on the Jacobian. ||a - a'||^2 = ||a||^2 + ||a'||^2 - 2 a.a' <= 1 + 1 - 0, with equality for two different
// vertices only.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/weights.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational square_of_distance(const Instance& instance) {
  return squared_distance(instance.weights, instance.other_weights);
}

Truth others_on_simplex(const Instance& instance) {
  return truth(instance.other_weights.size() == instance.length && on_simplex(instance.other_weights));
}

// sqrt2 - ||a - a'|| = (2 - ||a - a'||^2) / (sqrt2 + ||a - a'||), the numerator exact: weights may be 10^-14 from a
// vertex.
Interval slack(const Instance& instance, Precision precision) {
  return Interval(Rational(2 - square_of_distance(instance)), precision) /
         (sides::root_of_two(instance, precision) + sides::root<square_of_distance>(instance, precision));
}

constexpr std::string_view proof =
    "The squared norm of a difference is ||a||^2 + ||a'||^2 - 2 a.a'. Entries in [0, 1] of sum 1 have squares of sum "
    "at most 1, with equality at the vertices only, and a.a' >= 0, with equality at different vertices.";

}  // namespace

Claim weights_diameter() {
  return {.statement = {.source = "corrected Lemma 2, the cap sqrt2 for differences of weights",
                        .section = "8b",
                        .text = "Two rows of weights differ by at most sqrt2.",
                        .proof = proof,
                        .domain = "pairs of rational rows of weights, L <= 24",
                        .kind = Sided{.parts = {{.left = "sqrt(sum(i: (a_i - a'_i)^2))",
                                                 .right = "sqrt(2)",
                                                 .lhs = sides::root<square_of_distance>,
                                                 .rhs = sides::root_of_two,
                                                 .slack = slack,
                                                 .attained = sides::is<square_of_distance, 2>}},
                                      .hypotheses = {hypotheses::weights_on_simplex,
                                                     {"a'_i >= 0 and sum(i: a'_i) = 1", others_on_simplex}},
                                      .attained_is_cheap = true,
                                      .generate = weight_pair,
                                      .proved = Proved{"all L, all weights", "permutation"}}},
          .expected = Expected::proved};
}

}  // namespace attncert
