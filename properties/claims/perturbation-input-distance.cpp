// ||l - l'|| = sqrt5 |e| for l = (.., a, a + e), l' = (.., a + 2e, a), alike elsewhere: arXiv 2508.17821, the observation on
// two logit vectors (claims.md section 9). a and a + e are the last two logits of the row. In squares: 4 e^2 + e^2.
#include "properties/claims/claim.hpp"
#include "properties/generators/hypotheses.hpp"
#include "properties/generators/instances.hpp"

namespace attncert {
namespace {

Rational squared_difference(const Instance& instance) {
  std::vector<Rational> other = instance.logits;
  const Rational a = other[other.size() - 2], e = other.back() - a;
  other[other.size() - 2] = a + 2 * e;
  other.back() = a;
  Rational square = 0;
  for (std::size_t i = 0; i < other.size(); ++i)
    square += (instance.logits[i] - other[i]) * (instance.logits[i] - other[i]);
  return square;
}

Rational stated_square(const Instance& instance) {
  const Rational e = instance.logits.back() - instance.logits[instance.length - 2];
  return 5 * e * e;
}

Interval lhs(const Instance& instance, Precision precision) {
  return sqrt(Interval(squared_difference(instance), precision));
}
Interval rhs(const Instance& instance, Precision precision) {
  return sqrt(Interval(stated_square(instance), precision));
}

bool attained(const Instance& instance) { return squared_difference(instance) == stated_square(instance); }

}  // namespace

Claim perturbation_input_distance() {
  return {.statement = {.id = "perturbation-input-distance",
                        .source = "arXiv 2508.17821, observation on (0, .., 0, a, a+e) and (0, .., 0, a+2e, a)",
                        .section = "9",
                        .text = "The two logit vectors of the observation differ by sqrt5 |e|.",
                        .proof = "The two vectors differ in their last two entries only, by 2e and by e: the squared "
                                 "distance is 4 e^2 + e^2.",
                        .left = "||l - l'||, l = (.., a, a+e), l' = (.., a+2e, a)",
                        .right = "sqrt5 |e|",
                        .relation = Relation::equal,
                        .hypotheses = {{"L >= 2", hypotheses::at_least_two_tokens}},
                        .lhs = lhs,
                        .rhs = rhs,
                        .attained = attained,
                        .attained_is_cheap = true,
                        .generate = logit_row,
                        .domain = "rational logits, L <= 24, the last two a and a + e"},
          .expected = Expected::proved};
}

}  // namespace attncert
