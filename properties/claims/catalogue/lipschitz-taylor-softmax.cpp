// Taylor softmax of order n, F_n(z_i/T) / sum F_n(z_j/T), is kappa_n/(2T)-Lipschitz in every l_p
// (docs/specification.md#taylor-softmax), kappa_n = sup |F_(n-1)/F_n|: 1 at n = 2; for n = 4, 6, 8 the numbers of
// docs/specification.md#taylor-softmax rounded up in the fifth decimal, which are upper bounds because kappa F_n -
// F_(n-1) and kappa F_n + F_(n-1) have no real root (by Sturm's theorem, in
// tests/properties/claims/catalogue/lipschitz_claims_test.cpp). Values are rational.
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

unsigned long order(const Instance& instance) { return instance.parameters[parameter::order].get_num().get_ui(); }

Rational kappa(const Instance& instance) {
  switch (order(instance)) {
    case 2:
      return 1;
    case 4:
      return ratio(152334, 100000);
    case 6:
      return ratio(185351, 100000);
    default:
      return ratio(208377, 100000);
  }
}

std::vector<Rational> weights(const Instance& instance, const sides::Logits& logits) {
  std::vector<Rational> values;
  for (const Rational& logit : logits) {
    const Rational x = logit / *instance.temperature;
    Rational value = 1;  // Horner's scheme: 1 + x (1 + x/2 (1 + x/3 ...))
    for (unsigned long k = order(instance); k > 0; --k) value = 1 + value * x / k;
    values.push_back(value);
  }
  return normalized(std::move(values));
}

Interval rhs(const Instance& instance, Precision precision) {
  return Interval(Rational(kappa(instance) / (2 * *instance.temperature)), precision);
}

Truth known_order(const Instance& instance) {
  if (sides::has_numbers(instance) != Truth::yes) return Truth::no;
  const Rational& n = instance.parameters[parameter::order];
  return truth(n == 2 || n == 4 || n == 6 || n == 8);
}

}  // namespace

Claim lipschitz_taylor_softmax() {
  return {
      .statement =
          {.source = "corrected Lipschitz constants",
           .section = "13",
           .text = "Taylor softmax of order n = 2, 4, 6, 8 at temperature T is kappa_n/(2T)-Lipschitz in "
                   "l_p, p in {1, 5/4, 3/2, 2, 3, 4, inf}.",
           .proof = "It is softmax of log F_n(z/T), whose slope F_(n-1)/F_n lies between -kappa_n and kappa_n; "
                    "softmax is 1/2-Lipschitz in its logits. For n = 2, F_2 - F_1 = z^2/2 and F_2 + F_1 = (z+2)^2/2 "
                    "give kappa_2 = 1.",
           .domain = "pairs of rational rows, L <= 24, n in {2, 4, 6, 8}, T from 10^-30 to 10^30",
           .kind = Sided{.left = "max over p in {1, 5/4, 3/2, 2, 3, 4, inf} of ||f(l) - f(l')||_p / ||l - l'||_p",
                         .right = "kappa_n/(2T), kappa = 1, 1.52334, 1.85351, 2.08377",
                         .hypotheses = sides::pair_hypotheses({{"n in {2, 4, 6, 8}", known_order}}),
                         .lhs = sides::largest_of_stretches<weights>,
                         .rhs = rhs,
                         .generate = ruled_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert
