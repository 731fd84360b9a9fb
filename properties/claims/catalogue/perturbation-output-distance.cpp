// ||softmax(l/T) - softmax(l'/T)|| ~ sqrt2 |e|/T for l = (0, .., 0, a, a+e), l' = (0, .., 0, a+2e, a), arXiv
// 2508.17821: what "~" says is that the derivative J h, J at (0, .., 0, a, a), has that norm
// (docs/specification.md#observation). It is at most (3 sqrt2/4) |e|/T.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/perturbation.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval rhs(const Instance& instance, Precision precision) {
  return sqrt(Interval(2.0, precision)) *
         Interval(Rational(abs(sides::perturbation(instance)) / *instance.temperature), precision);
}

// Never: the left side is at most 3/4 of the right one (perturbation-closed-form).
bool attained(const Instance&) { return false; }

}  // namespace

Claim perturbation_output_distance() {
  return {
      .statement =
          {.source = "arXiv 2508.17821, observation on (0, .., 0, a, a+e) and (0, .., 0, a+2e, a)",
           .section = "9",
           .text = "To first order in e the weights of the observation's two logit vectors differ by sqrt2 |e|/T.",
           .proof = "To first order in e the distance is (|e|/T) P sqrt(5 - 2P + 2P^2 + (1-2P)^2/(L-2)), P "
                    "being the weight of either of the two tokens at e = 0 (without the last term at L = 2). "
                    "It grows with P up to 3 sqrt2/4 = 1.0607 at P = 1/2. Nor does a larger e help: l - l' "
                    "has the range 3|e|, so softmax-tanh-lipschitz leaves at most sqrt2 tanh(3|e|/(4T)) < (3 "
                    "sqrt2/4) |e|/T. What is printed is at least 4/3 too large everywhere. Read as \"of that order\" "
                    "it holds at L = 2 and fails at "
                    "a = 0, where P = 1/L and the distance falls like sqrt5 |e|/(L T); "
                    "perturbation-closed-form has what holds.",
           .domain = "rational a and e, L <= 24, T from 10^-30 to 10^30",
           .kind = Sided{.parts = {{.left = "||J h||, J of softmax(./T) at (0, .., 0, a, a), h = (0, .., 0, 2e, -e)",
                                    .right = "sqrt2 |e|/T",
                                    .relation = Relation::equal,
                                    .lhs = sides::first_order_distance,
                                    .rhs = rhs,
                                    .attained = attained}},
                         .hypotheses = sides::perturbation_hypotheses(),
                         .attained_is_cheap = true,
                         .generate = raised_row,
                         .known =
                             [] {
                               return known::Instances{known::logits({0, 1})};
                             }}},
      .expected = Expected::refuted};
}

}  // namespace attncert
