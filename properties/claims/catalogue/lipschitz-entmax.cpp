// alpha-entmax for 1 < alpha <= 2 is 1/T-Lipschitz in l_2 (docs/specification.md#entmax): attained at alpha = 2
// (sparsemax), for smaller alpha a supremum over L. For alpha > 2 no constant exists from L = 3 on, so alpha <= 2 is a
// hypothesis. At alpha = 2 the values are rational, so that equality is decided exactly.
#include "properties/claims/catalogue/sides/entmax.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

const Rational& alpha(const Instance& instance) { return instance.parameters[parameter::alpha]; }

sides::Values weights(const Instance& instance, const sides::Logits& logits, Precision precision) {
  return sides::entmax(alpha(instance), logits, *instance.temperature, precision);
}

std::vector<Rational> sparse_weights(const Instance& instance, const sides::Logits& logits) {
  return reference::sparsemax(logits, *instance.temperature).weights;
}

Interval lhs(const Instance& instance, Precision precision) {
  if (alpha(instance) == 2) return sides::stretch(instance, sparse_weights, precision).two;
  return sides::stretch(instance, weights, precision).two;
}

bool attained(const Instance& instance) {
  const Rational& t = *instance.temperature;
  return alpha(instance) == 2 && sides::exact_stretch(instance, sparse_weights).squared_two * t * t == 1;
}

Truth alpha_up_to_two(const Instance& instance) {
  return truth(sides::has_numbers(instance) == Truth::yes && alpha(instance) > 1 && alpha(instance) <= 2);
}

}  // namespace

Claim lipschitz_entmax() {
  return {
      .statement = {.source = "corrected Lipschitz constants; Peters, Niculae, Martins, ACL 2019",
                    .section = "13",
                    .text = "alpha-entmax with 1 < alpha <= 2 at temperature T is 1/T-Lipschitz in l_2.",
                    .proof =
                        "It maximizes <p, z/T> less a function of p whose Hessian is diag(p^(alpha-2)), at least the "
                        "identity where p <= 1 and alpha <= 2. The maximizer of a linear function less a "
                        "1-strongly convex one is 1-Lipschitz in the linear function, here z/T.",
                    .domain = "pairs of rational rows, L <= 24, alpha in (1, 2], T from 10^-30 to 10^30",
                    .kind = Sided{.left = "||f(l) - f(l')||_2 / ||l - l'||_2",
                                  .right = "1/T",
                                  .hypotheses = sides::pair_hypotheses({{"1 < alpha <= 2", alpha_up_to_two}}),
                                  .lhs = lhs,
                                  .rhs = sides::constant_over_temperature<1, 1>,
                                  .attained = attained,
                                  .generate = ruled_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert
