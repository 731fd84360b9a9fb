// What is true of the observation on l = (0, .., 0, a, a+e) and l' = (0, .., 0, a+2e, a)
// (docs/specification.md#observation). To first order its weights move by ||J h||, h = l' - l, J at (0, .., 0, a, a),
// and with P the weight of a there
//   ||J h|| = (|e|/T) P sqrt(5 - 2P + 2P^2 + (1-2P)^2/(L-2))   (no last term at L = 2)   <= (3 sqrt2/4) |e|/T,
// and for any e the distance is at most sqrt2 tanh(3|e|/(4T)): the tanh bound with osc(h) = 3|e|. With w = 1 - 2P the
// closed form's square misses 9/8 (e/T)^2 by
//   w (9/8 (2-w) - k w (1-w)^2), k = 1/8 + 1/(4(L-2)): no cancellation as P -> 1/2.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/catalogue/sides/perturbation.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Rational others(const Instance& instance) { return Rational(instance.length - 2); }

Interval step(const Instance& instance, Precision precision) {  // |e|/T
  return {Rational(abs(sides::perturbation(instance)) / *instance.temperature), precision};
}

// 1 - 2P = (L-2)/(L-2 + 2 e^(a/T))
Interval others_mass(const Instance& instance, Precision precision) {
  const Interval rest(others(instance), precision), two(2.0, precision);
  if (instance.length == 2) return rest;
  return rest /
         (rest + two * exp(Interval(Rational(sides::raised_logit(instance) / *instance.temperature), precision)));
}

Interval closed_form(const Instance& instance, Precision precision) {
  const Interval two(2.0, precision), five(5.0, precision), mass = others_mass(instance, precision);
  const Rational exponent = -sides::raised_logit(instance) / *instance.temperature;
  const Interval P =
      Interval(1.0, precision) / (two + Interval(others(instance), precision) * exp(Interval(exponent, precision)));
  Interval inside = five - two * P + two * square(P);
  if (instance.length > 2) inside += square(mass) / Interval(others(instance), precision);
  return step(instance, precision) * P * sqrt(inside);
}

Interval supremum(const Instance& instance, Precision precision) {  // (3 sqrt2/4) |e|/T
  return step(instance, precision) * sqrt(Interval(ratio(9, 8), precision));
}

sides::SoftmaxPair pair_of(const Instance& instance, Precision precision) {
  return sides::softmax_pair(instance.logits, sides::perturbed_logits(instance), *instance.temperature, precision);
}

Interval distance(const Instance& instance, Precision precision) {
  return sqrt(sum_of_squares(instance.once<pair_of>(precision).difference, precision));
}
Interval saturating_bound(const Instance& instance, Precision precision) {
  const Rational quarter = instance.once<pair_of>(precision).oscillation() / 4;
  return sides::root_of_two(instance, precision) * sides::hyperbolic_tangent(Interval(quarter, precision));
}

// Squares of both sides for e = T = 1, in E = e^(a/T). Left the entries p_i (h_i - p.h), of which L-2 are alike.
Rational exact_square(const Rational& E, std::size_t length) {
  const Rational rest = length - 2, total = 2 * E + rest;
  const Rational P = E / total, mean = P * 2 - P * 1, other = (0 - mean) / total;
  const Rational first = P * (2 - mean), second = P * (-1 - mean);
  return first * first + second * second + rest * other * other;
}
Rational closed_square(const Rational& E, std::size_t length) {
  const Rational rest = length - 2, P = E / (2 * E + rest), mass = 1 - 2 * P;
  Rational inside = 5 - 2 * P + 2 * P * P;
  if (length > 2) inside += mass * mass / rest;
  return P * P * inside;
}

// Times (2E + L-2)^4 both squares are polynomials in E of degree at most 4: five points decide that they are one.
bool closed_form_is_exact(std::size_t length) {
  for (unsigned long E = 1; E <= 5; ++E)
    if (exact_square(E, length) != closed_square(E, length)) return false;
  return true;
}

Interval first_order_slack(const Instance& instance, Precision precision) {
  const Interval w = others_mass(instance, precision), one(1.0, precision), two(2.0, precision);
  const Rational k = instance.length == 2 ? Rational(0) : Rational(ratio(1, 8) + 1 / (4 * others(instance)));
  const Interval nine_eighths(ratio(9, 8), precision), size = step(instance, precision);
  const Interval missing = w * (nine_eighths * (two - w) - Interval(k, precision) * w * square(one - w));
  return missing * square(size) / (supremum(instance, precision) + closed_form(instance, precision));
}

// From below: ||v||_2 <= sqrt2 ||v||_1/2 for a sum of 0.
Interval any_order_slack(const Instance& instance, Precision precision) {
  const Interval gap = sides::variation_slack(instance.once<pair_of>(precision), precision);
  const Interval lowest = sides::root_of_two(instance, precision) * gap;
  return Interval::between(lowest, max(lowest, saturating_bound(instance, precision) - distance(instance, precision)));
}

bool identity(const Instance& instance) { return closed_form_is_exact(instance.length); }
bool two_tokens(const Instance& instance) { return instance.length == 2; }  // P = 1/2

constexpr std::string_view proof =
    "At (0, .., 0, a, a) the mean of h = (0, .., 0, 2e, -e) over the weights is P e, so J h has the entries P (2 - P) "
    "e/T, -P (1 + P) e/T and, L-2 times, -P (1-2P)/(L-2) e/T: their squares sum to the closed form. With w = 1 - 2P "
    "its square is (1-w)^2 (9/8 + k w^2), k = 1/8 + 1/(4(L-2)), in units of (e/T)^2: largest at w = 0, P = 1/2, where "
    "it is 9/8. For e of any size the range of h is 3|e|, and the saturating bound (softmax-tanh-lipschitz) gives "
    "sqrt2 tanh(3|e|/(4T)), which is below (3 sqrt2/4) |e|/T. The printed sqrt2 |e|/T is more than 4/3 of that.";

}  // namespace

Claim perturbation_closed_form() {
  return {
      .statement = {.source = "corrected observation on (0, .., 0, a, a+e) and (0, .., 0, a+2e, a)",
                    .section = "9",
                    .text =
                        "To first order the observation's weights differ by (|e|/T) P sqrt(5-2P+2P^2+(1-2P)^2/(L-2)) "
                        "<= (3 sqrt2/4) |e|/T, P the weight of a in (0, .., 0, a, a); and for any e by at most "
                        "sqrt2 tanh(3|e|/(4T)).",
                    .proof = proof,
                    .domain = "rational a and e, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = {{.name = "identity",
                                             .left = "||J h||",
                                             .right = "(|e|/T) P sqrt(5 - 2P + 2P^2 + (1-2P)^2/(L-2))",
                                             .relation = Relation::equal,
                                             .lhs = sides::first_order_distance,
                                             .rhs = closed_form,
                                             .attained = identity},
                                            {.name = "first order",
                                             .left = "(|e|/T) P sqrt(5 - 2P + 2P^2 + (1-2P)^2/(L-2))",
                                             .right = "(3 sqrt2/4) |e|/T",
                                             .lhs = closed_form,
                                             .rhs = supremum,
                                             .slack = first_order_slack,
                                             .attained = two_tokens},
                                            {.name = "any e",
                                             .left = "||p - p'||",
                                             .right = "sqrt2 tanh(3|e|/(4T))",
                                             .lhs = distance,
                                             .rhs = saturating_bound,
                                             .slack = any_order_slack}},
                                  .hypotheses = sides::perturbation_hypotheses(),
                                  .attained_is_cheap = true,
                                  .generate = raised_row,
                                  .known =
                                      [] {
                                        return known::Instances{known::logits({0, known::small}), known::logits({0, 1}),
                                                                known::logits({0, 0, 0, 1}),
                                                                known::raised(1000, known::small, 4096)};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert
