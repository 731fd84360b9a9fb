// ||l - l'|| = sqrt5 |e| for l = (.., a, a + e), l' = (.., a + 2e, a), alike elsewhere: arXiv 2508.17821, the
// observation on two logit vectors (docs/specification.md#observation). a and a + e are the last two logits of the row.
// In squares: 4 e^2 + e^2.
#include "properties/claims/catalogue/sides/cover.hpp"
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/perturbation.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational squared_difference(const Instance& instance) {
  return squared_distance(instance.logits, sides::perturbed_logits(instance));
}

Rational stated_square(const Instance& instance) {
  const Rational e = sides::perturbation(instance);
  return 5 * e * e;
}

// In units in which a and e lie in [0, 1]; an identity of polynomials holds for all numbers.
std::vector<CoverPiece> pieces() {
  const auto difference = [](sides::Point x) {
    const sides::Quotient &a = x[0], &e = x[1], first = a - (a + 2 * e), last = (a + e) - a;
    return first * first + last * last - 5 * e * e;
  };
  return {{.name = "square", .coordinates = 2, .slack = difference, .identity = true}};
}

}  // namespace

Claim perturbation_input_distance() {
  return {.statement = {.source = "arXiv 2508.17821, observation on (0, .., 0, a, a+e) and (0, .., 0, a+2e, a)",
                        .section = "9",
                        .text = "The two logit vectors of the observation differ by sqrt5 |e|.",
                        .proof = "The two vectors differ in their last two entries only, by 2e and by e: the squared "
                                 "distance is 4 e^2 + e^2.",
                        .domain = "rational logits, L <= 24, the last two a and a + e",
                        .kind = Sided{.left = "||l - l'||, l = (.., a, a+e), l' = (.., a+2e, a)",
                                      .right = "sqrt5 |e|",
                                      .relation = Relation::equal,
                                      .hypotheses = {hypotheses::at_least_two_tokens},
                                      .lhs = sides::root<squared_difference>,
                                      .rhs = sides::root<stated_square>,
                                      .attained = sides::equal<squared_difference, stated_square>,
                                      .attained_is_cheap = true,
                                      .generate = logit_row,
                                      .cover = Cover{"all L >= 2, all real a and e", {"scaling"}, pieces}}},
          .expected = Expected::proved};
}

}  // namespace attncert
