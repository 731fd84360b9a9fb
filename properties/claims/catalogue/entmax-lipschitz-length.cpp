// The Jacobian of 1.5-entmax on L tokens, J T = diag s - s s^T/||s||_1 with s = sqrt p on the support, has l_2 norm at
// most K_L, 2^(-1/2) up to 47 tokens and then rising to 1 (docs/specification.md#entmax; sides/entmax.hpp has a proof
// of the upper bound). With q = s/||s||_1 it is ||s||_1 (diag q - q q^T), whose largest eigenvalue softmax's secular
// equation encloses.
#include <algorithm>

#include "properties/claims/catalogue/sides/entmax.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/bounds/softmax_jacobian.hpp"

namespace attncert {
namespace {

Interval lhs(const Instance& instance, Precision precision) {
  sides::Values roots;
  for (const Rational& p : instance.weights) roots.push_back(sqrt(Interval(p, precision)));
  const Interval total = sum(roots, precision);
  for (Interval& root : roots) root /= total;
  const auto [first, second] = two_largest(instance.weights);
  const reference::TopWeights top = reference::top_weights(roots, first, second, precision);
  return total * reference::largest_eigenvalue(roots, top, second, precision);
}

Interval rhs(const Instance& instance, Precision precision) {
  return sides::three_halves_constant(instance.length, precision);
}

// One token x and k - 1 tokens y with x^3 = (k-1)^4 y^3 have norm two(k). For k = 2, two halves, that is K_L up to L =
// 47; for k = L it is K_L from 48 on.
bool attained(const Instance& instance) {
  const auto [first, second] = two_largest(instance.weights);
  const Rational &x = instance.weights[first], &y = instance.weights[second];
  const auto others = static_cast<unsigned long>(
      std::count_if(instance.weights.begin(), instance.weights.end(), [](const Rational& p) { return sgn(p) > 0; }) -
      1);
  for (std::size_t i = 0; i < instance.length; ++i)
    if (i != first && sgn(instance.weights[i]) > 0 && instance.weights[i] != y) return false;
  const Rational n = others;
  if (x * x * x != n * n * n * n * y * y * y) return false;
  constexpr std::size_t last_of_two = 47;  // two(47) < 2^(-1/2) < two(48)
  return instance.length <= last_of_two ? others == 1 : others + 1 == instance.length;
}

Truth has_weights(const Instance& instance) {
  return truth(instance.length >= 2 && instance.weights.size() == instance.length);
}

}  // namespace

Claim entmax_lipschitz_length() {
  return {
      .statement = {.source = "corrected Lipschitz constants",
                    .section = "13",
                    .text =
                        "The l_2 norm of 1.5-entmax's Jacobian at T = 1 is at most K_L on L tokens, attained by one "
                        "token and k-1 equal ones; K_L rises from 2^(-1/2) to 1.",
                    .proof = "With s = sqrt p on the support, h^T (diag s - s s^T/||s||_1) h = min over c of sum "
                             "sqrt(p_i) (h_i - c)^2. It is concave in p and convex in c, so the maximum over p and the "
                             "minimum over c may change places, and Cauchy-Schwarz makes the largest norm max over "
                             "||h|| = 1 of min over c of ||h - c||_4^2; by duality that is the largest ||w||_2^2 of "
                             "all w of sum 0 with ||w||_{4/3} = 1. The conditions of first and second order at a "
                             "maximum leave one entry of one sign and k-1 equal ones of the other, which is two(k) = "
                             "(1 - v + v^2)/sqrt(1 + v), v = (k-1)^(-1/3). It falls and then rises with k, so that K_L "
                             "is two(2) = 2^(-1/2) up to L = 47 and two(L) from 48 on, which tends to 1.",
                    .domain = "rational weights, L <= 24, and one token above up to 1023 equal ones; captured weights",
                    .kind = Sided{.parts = {{.left = "||diag s - s s^T/||s||_1||_2, s = sqrt p",
                                             .right = "K_L = max_{2 <= k <= L} two(k)",
                                             .lhs = lhs,
                                             .rhs = rhs,
                                             .attained = attained}},
                                  .hypotheses = {{"L >= 2 weights", has_weights},
                                                 {"a_i >= 0, sum a_i = 1", hypotheses::weights_on_simplex.holds}},
                                  .attained_is_cheap = true,
                                  .generate = weight_row,
                                  .known =
                                      [] {
                                        return known::Instances{known::weights({ratio(1, 2), ratio(1, 2)}),
                                                                known::weights(known::heavy(ratio(70, 94), 48)),
                                                                known::weights(known::heavy(ratio(4, 5), 65)),
                                                                known::weights(known::heavy(ratio(15, 16), 3376))};
                                      },
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert
