// Taylor softmax of order n, F_n(z_i/T) / sum F_n(z_j/T), is kappa_n/(2T)-Lipschitz in every l_p
// (docs/specification.md#taylor-softmax), kappa_n = sup |F_(n-1)/F_n|: 1 at n = 2; for n = 4, 6, 8 the numbers of
// docs/specification.md#taylor-softmax rounded up in the tenth decimal, which are upper bounds because kappa F_n -
// F_(n-1) and kappa F_n + F_(n-1) have no real root (by Sturm's theorem, in
// tests/properties/claims/catalogue/lipschitz_claims_test.cpp). Values are rational.
#include <string>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

template <unsigned long order>
std::vector<Rational> weights(const Instance& instance, const sides::Logits& logits) {
  std::vector<Rational> values;
  for (const Rational& logit : logits) {
    const Rational x = logit / *instance.temperature;
    Rational value = 1;  // Horner's scheme: 1 + x (1 + x/2 (1 + x/3 ...))
    for (unsigned long k = order; k > 0; --k) value = 1 + value * x / k;
    values.push_back(value);
  }
  return normalized(std::move(values));
}

// kappa = numerator/10^10
template <unsigned long order, long numerator>
void add(std::string_view constant, std::vector<Part>& parts) {
  const Side half = sides::constant_over_temperature<numerator, 20000000000>;
  for (Part& part : sides::lipschitz_parts<weights<order>>(sides::all_exponents, {constant, half})) {
    part.name = sides::lasting("n = " + std::to_string(order) + ", " + std::string(part.name));
    parts.push_back(std::move(part));
  }
}

std::vector<Part> parts() {
  std::vector<Part> all;
  add<2, 10000000000>("1/(2T)", all);
  add<4, 15233355089>("1.5233355089/(2T)", all);
  add<6, 18535035517>("1.8535035517/(2T)", all);
  add<8, 20837660335>("2.0837660335/(2T)", all);
  return all;
}

// Two tokens next to where |F_(n-1)/F_n| is largest: at n = 2, 4, 6, 8.
known::Instances steepest() {
  known::Instances all;
  for (const long millionths : {0L, -2625817L, -3237113L, -3839203L})
    all.push_back(known::around(known::Row(2, ratio(millionths, 1000000)), {1, -1}, known::small));
  return all;
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
           .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
           .kind = Sided{.parts = parts(),
                         .hypotheses = sides::pair_hypotheses(),
                         .generate = logit_pair,
                         .known = steepest}},
      .expected = Expected::supported};
}

}  // namespace attncert
