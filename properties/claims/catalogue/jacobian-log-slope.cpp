// ||J||_2 <= lambda_1(diag a - a a^T) kappa <= kappa/2, kappa = max |F'/F|, for a separable positive F
// (docs/specification.md#lemma2): J = (diag a - a a^T) diag(F'/F). In one line: the larger of ||J||/(lambda_1 kappa)
// and 2 lambda_1 is at most 1. Attained where |F'/F| is constant (softmax).
#include <algorithm>

#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/bounds/softmax_jacobian.hpp"

namespace attncert {
namespace {

Rational log_slope(const Instance& instance, std::size_t j) { return abs(instance.dF[j] / instance.F[j]); }

Rational steepest(const Instance& instance) {
  Rational largest = 0;
  for (std::size_t j = 0; j < instance.length; ++j) largest = std::max(largest, log_slope(instance, j));
  return largest;
}

Interval lhs(const Instance& instance, Precision precision) {
  const std::vector<Interval> weights = enclosures(sides::WeightsAndSlopes(instance).a, precision);
  const auto [first, second] = two_largest(instance.F);
  const auto top = reference::top_weights(weights, first, second, precision);
  const Interval eigenvalue = reference::largest_eigenvalue(weights, top, second, precision);
  const Interval bound = eigenvalue * Interval(steepest(instance), precision);
  return max(sides::jacobian_norm(instance, precision) / bound, Interval(2.0, precision) * eigenvalue);
}

// 2 lambda_1 = 1 for two equal values only. ||J|| = lambda_1 kappa needs a leading eigenvector of diag a - a a^T on
// tokens where |F'/F| = kappa. With one largest weight the eigenvector has no zero; m >= 2 largest weights have the
// eigenvalue a_max with all zero-sum vectors on them, so that two of them suffice.
bool attained(const Instance& instance) {
  const Rational largest = *std::max_element(instance.F.begin(), instance.F.end()), kappa = steepest(instance);
  std::size_t top = 0, steep = 0, steep_top = 0;
  for (std::size_t j = 0; j < instance.length; ++j) {
    const bool is_top = instance.F[j] == largest, is_steep = log_slope(instance, j) == kappa;
    top += is_top ? 1 : 0;
    steep += is_steep ? 1 : 0;
    steep_top += is_top && is_steep ? 1 : 0;
  }
  return steep == instance.length || steep_top >= 2 || (instance.length == 2 && top == 2);
}

Truth some_slope(const Instance& instance) { return truth(sgn(steepest(instance)) > 0); }

}  // namespace

Claim jacobian_log_slope() {
  return {
      .statement = {.source = "corrected Lemma 2, sharp in the weights and max |F'/F|",
                    .section = "8",
                    .text = "The Jacobian of a separable positive F has norm at most lambda_1 max|F'/F|, and that "
                            "is at most half of max|F'/F|.",
                    .proof = "g_j = F'_j/S = a_j F'_j/F_j, so J = (I - a 1^T) diag(a) diag(F'/F) = (diag a - a a^T) "
                             "diag(F'/F), and the norm of a product is at most the product of the norms. The first "
                             "factor is symmetric and positive semidefinite, of norm lambda_1(a) <= a_1 (1 - a_1 + "
                             "a_2) <= 1/2; the proof of softmax-spectral-bounds uses nothing but a_i >= 0 of sum 1. "
                             "Equality in the first step where |F'/F| is constant, which is softmax; in the second "
                             "with two weights of 1/2.",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.left = "max{ ||J||_2 / (lambda_1(diag a - a a^T) max|F'/F|), 2 lambda_1 }",
                                  .right = "1",
                                  .hypotheses = {hypotheses::positive_values,
                                                 hypotheses::at_least_two_tokens,
                                                 {"F' is not 0 everywhere", some_slope}},
                                  .lhs = lhs,
                                  .rhs = sides::constant<1>,
                                  .attained = attained,
                                  .attained_is_cheap = true,
                                  .generate = separable_row}},
      .expected = Expected::supported};
}

}  // namespace attncert
