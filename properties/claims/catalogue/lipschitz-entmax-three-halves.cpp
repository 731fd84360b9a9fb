// 1.5-entmax: ||f(l) - f(l')||_2 <= K_L ||l - l'||_2 / T (docs/specification.md#entmax): K_L = 2^(-1/2) for 2 <= L <=
// 47, then two(L), which rises to 1. That it is an upper bound is proved in sides/entmax.hpp.
#include "properties/claims/catalogue/sides/entmax.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  return sides::stretch(instance, sides::entmax_three_halves, precision).two;
}

Interval rhs(const Instance& instance, Precision precision) {
  return sides::three_halves_constant(instance.length, precision) / Interval(*instance.temperature, precision);
}

}  // namespace

Claim lipschitz_entmax_three_halves() {
  return {
      .statement = {.source = "corrected Lipschitz constants",
                    .section = "13",
                    .text = "1.5-entmax of L tokens at temperature T is K_L/T-Lipschitz in l_2; up to 47 tokens K_L is "
                            "2^(-1/2).",
                    .proof = "1.5-entmax is continuous, and smooth on the finitely many cells of logits with a fixed "
                             "support, where its Jacobian has norm at most K_L/T (entmax-lipschitz-length). The "
                             "segment from l to l' crosses finitely many cells; add up the differences along it.",
                    .domain = "pairs of rational rows, 2 <= L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.left = "||f(l) - f(l')||_2 / ||l - l'||_2",
                                  .right = "K_L/T, K_L = max_{2 <= k <= L} two(k)",
                                  .hypotheses = sides::pair_hypotheses({hypotheses::at_least_two_tokens}),
                                  .lhs = lhs,
                                  .rhs = rhs,
                                  .generate = logit_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert
