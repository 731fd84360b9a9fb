// ||softmax(l/T) - softmax(l'/T)|| ~ sqrt2 |e|/T for l = (0, .., 0, a, a+e), l' = (0, .., 0, a+2e, a): arXiv 2508.17821, read as an
// equality (claims.md section 9). No pair satisfies it: the distance is below (3 sqrt2/4) |e|/T (perturbation-closed-form).
#include "properties/claims/claim.hpp"
#include "properties/claims/sides/pair.hpp"
#include "properties/claims/sides/perturbation.hpp"
#include "properties/generators/instances.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  const auto other = sides::perturbed_logits(instance);
  const sides::SoftmaxPair pair = sides::softmax_pair(instance.logits, other, *instance.temperature, precision);
  return sqrt(sum_of_squares(pair.difference, precision));
}

Interval rhs(const Instance& instance, Precision precision) {
  return sqrt(Interval(2.0, precision)) *
         Interval(Rational(abs(sides::perturbation(instance)) / *instance.temperature), precision);
}

// Never: T2 with osc(l - l') = 3|e| leaves sqrt2 tanh(3|e|/(4T)), which is below 3/4 of the right side.
bool attained(const Instance&) { return false; }

}  // namespace

Claim perturbation_output_distance() {
  return {
      .statement = {.id = "perturbation-output-distance",
                    .source = "arXiv 2508.17821, observation on (0, .., 0, a, a+e) and (0, .., 0, a+2e, a)",
                    .section = "9",
                    .text = "The weights of the observation's two logit vectors differ by sqrt2 |e|/T.",
                    .proof = "To first order in e the distance is (|e|/T) P sqrt(5 - 2P + 2P^2 + (1-2P)^2/(L-2)), P "
                             "being the weight of either of the two tokens at e = 0 (without the last term at L = 2). "
                             "It grows with P up to 3 sqrt2/4 = 1.0607 at P = 1/2. Nor does a larger e help: l - l' "
                             "has the range 3|e|, so softmax-tanh-lipschitz leaves at most sqrt2 tanh(3|e|/(4T)) < (3 "
                             "sqrt2/4) |e|/T. What is printed is at least 4/3 too large everywhere; "
                             "perturbation-closed-form has what holds.",
                    .left = "||softmax(l/T) - softmax(l'/T)||, l = (0, .., 0, a, a+e), l' = (0, .., 0, a+2e, a)",
                    .right = "sqrt2 |e|/T",
                    .relation = Relation::equal,
                    .hypotheses = sides::perturbation_hypotheses(),
                    .lhs = lhs,
                    .rhs = rhs,
                    .attained = attained,
                    .attained_is_cheap = true,
                    .generate = raised_row,
                    .domain = "rational a and e, L <= 24, T from 10^-30 to 10^30"},
      .expected = Expected::refuted};
}

}  // namespace attncert
