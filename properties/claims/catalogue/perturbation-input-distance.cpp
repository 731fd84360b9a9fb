// ||l - l'|| = sqrt5 |e| for l = (.., a, a + e), l' = (.., a + 2e, a), alike elsewhere: arXiv 2508.17821, the
// observation on two logit vectors (docs/specification.md#observation). a and a + e are the last two logits of the row.
// In squares: 4 e^2 + e^2.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
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

}  // namespace

Claim perturbation_input_distance() {
  return {.statement = {.source = "arXiv 2508.17821, observation on (0, .., 0, a, a+e) and (0, .., 0, a+2e, a)",
                        .section = "9",
                        .text = "The two logit vectors of the observation differ by sqrt5 |e|.",
                        .proof = "The two vectors differ in their last two entries only, by 2e and by e: the squared "
                                 "distance is 4 e^2 + e^2.",
                        .domain = "rational logits, L <= 24, the last two a and a + e",
                        .kind = Sided{.parts = {{.left = "sqrt((a - (a + 2 e))^2 + (a + e - a)^2)",
                                                 .right = "sqrt(5) * |e|",
                                                 .relation = Relation::equal,
                                                 .lhs = sides::root<squared_difference>,
                                                 .rhs = sides::root<stated_square>,
                                                 .attained = sides::equal<squared_difference, stated_square>}},
                                      .hypotheses = {hypotheses::at_least_two_tokens},
                                      .attained_is_cheap = true,
                                      .generate = logit_row,
                                      .known =
                                          [] {
                                            return known::Instances{known::logits({0, 1}), known::raised(1, 2, 4096)};
                                          },
                                      .proved = Proved{"all L >= 2, all real a and e", "scaling"}}},
          .expected = Expected::proved};
}

}  // namespace attncert
