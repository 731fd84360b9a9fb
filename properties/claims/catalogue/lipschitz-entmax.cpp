// alpha-entmax for 1 < alpha <= 2 is 1/T-Lipschitz in l_2 (docs/specification.md#entmax): attained at alpha = 2
// (sparsemax), for smaller alpha a supremum over L at most. For alpha > 2 no constant exists from L = 3 on. A part for
// every alpha that is tried; at alpha = 2 the values are rational, so that equality is decided exactly.
#include "properties/claims/catalogue/sides/entmax.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

template <long numerator, unsigned long denominator>
sides::Values weights(const Instance& instance, const sides::Logits& logits, Precision precision) {
  return sides::entmax(ratio(numerator, denominator), logits, *instance.temperature, precision);
}

std::vector<Rational> sparse_weights(const Instance& instance, const sides::Logits& logits) {
  return reference::sparsemax(logits, *instance.temperature).weights;
}

template <auto rule>
Part part(std::string_view name) {
  Part result = sides::lipschitz_part<rule>(sides::Exponent::two, {"1/T", sides::constant_over_temperature<1, 1>});
  result.name = name;
  return result;
}

std::vector<Part> parts() {
  std::vector<Part> all = {part<weights<11, 10>>("alpha = 11/10"), part<weights<5, 4>>("alpha = 5/4"),
                           part<weights<4, 3>>("alpha = 4/3"),     part<weights<3, 2>>("alpha = 3/2"),
                           part<weights<7, 4>>("alpha = 7/4"),     part<sparse_weights>("alpha = 2")};
  all.back().attained = [](const Instance& instance) {
    const Rational& t = *instance.temperature;
    return sides::is_attained<sparse_weights>(instance, sides::Exponent::two, 1 / (t * t));
  };
  return all;
}

// Two tokens next to equal ones, and one above 4095 equal ones, where the norm is larger than that of two from alpha =
// 4/3 on: p = (x, y, .., y), y = x (L-1)^(-2/(3-alpha)), rounded.
known::Instances one_above_many() {
  const Rational others = 4095;
  const auto above = [&](const Rational& gap) {
    return known::around(known::repeated(gap, 0, 4096), known::repeated(1, -1 / others, 4096), power_of_two(-30));
  };
  return {known::around({0, 0}, {1, -1}, known::small), above(ratio(2729762684, 1000000000)),
          above(ratio(1932699901, 1000000000)), above(ratio(1326510016, 1000000000))};
}

}  // namespace

Claim lipschitz_entmax() {
  return {
      .statement =
          {.source = "corrected Lipschitz constants; Peters, Niculae, Martins, ACL 2019",
           .section = "13",
           .text = "alpha-entmax with 1 < alpha <= 2 at temperature T is 1/T-Lipschitz in l_2; alpha in {11/10, 5/4, "
                   "4/3, 3/2, 7/4, 2}.",
           .proof = "It maximizes <p, z/T> less a function of p whose Hessian is diag(p^(alpha-2)), at least the "
                    "identity where p <= 1 and alpha <= 2. The maximizer of a linear function less a "
                    "1-strongly convex one is 1-Lipschitz in the linear function, here z/T.",
           .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
           .kind = Sided{.parts = parts(),
                         .hypotheses = sides::pair_hypotheses(),
                         .generate = logit_pair,
                         .known = one_above_many}},
      .expected = Expected::supported};
}

}  // namespace attncert
