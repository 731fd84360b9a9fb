// ||J||_2 <= lambda_1(diag a - a a^T) kappa <= kappa/2, kappa = max |F'/F|, for a separable positive F
// (docs/specification.md#lemma2): J = (diag a - a a^T) diag(F'/F). The first step is attained where |F'/F| is constant
// (softmax), the second by two equal values.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
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

Interval eigenvalue(const Instance& instance, Precision precision) {
  const std::vector<Interval> weights = enclosures(sides::WeightsAndSlopes(instance).a, precision);
  const auto [first, second] = two_largest(instance.F);
  const auto top = reference::top_weights(weights, first, second, precision);
  return reference::largest_eigenvalue(weights, top, second, precision);
}
Interval eigenvalue_bound(const Instance& instance, Precision precision) {
  return instance.once<eigenvalue>(precision) * Interval(steepest(instance), precision);
}
Interval half_slope(const Instance& instance, Precision precision) {
  return Interval(Rational(steepest(instance) / 2), precision);
}

// ||J|| = lambda_1 kappa needs a leading eigenvector of diag a - a a^T on tokens where |F'/F| = kappa. With one largest
// weight the eigenvector has no zero; m >= 2 largest weights have the eigenvalue a_max with all zero-sum vectors on
// them, so that two of them suffice.
bool steep_where_it_counts(const Instance& instance) {
  const Rational largest = *std::max_element(instance.F.begin(), instance.F.end()), kappa = steepest(instance);
  std::size_t steep = 0, steep_top = 0;
  for (std::size_t j = 0; j < instance.length; ++j) {
    const bool is_steep = log_slope(instance, j) == kappa;
    steep += is_steep ? 1 : 0;
    steep_top += instance.F[j] == largest && is_steep ? 1 : 0;
  }
  return steep == instance.length || steep_top >= 2;
}
bool two_halves(const Instance& instance) { return instance.length == 2 && instance.F[0] == instance.F[1]; }

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
                    .kind = Sided{.parts = {{.name = "slope",
                                             .left = "||J||_2",
                                             .right = "lambda_1(diag a - a a^T) max|F'/F|",
                                             .lhs = sides::jacobian_norm,
                                             .rhs = eigenvalue_bound,
                                             .attained = steep_where_it_counts},
                                            {.name = "half",
                                             .left = "lambda_1(diag a - a a^T) max|F'/F|",
                                             .right = "max|F'/F|/2",
                                             .lhs = eigenvalue_bound,
                                             .rhs = half_slope,
                                             .attained = two_halves}},
                                  .hypotheses = {hypotheses::values_with_slopes,
                                                 hypotheses::at_least_two_tokens,
                                                 {"F' is not 0 everywhere", some_slope}},
                                  .attained_is_cheap = true,
                                  .generate = separable_row,
                                  .known =
                                      [] {
                                        return known::Instances{known::separable({1, 2, 3}, {2, -4, 6}),
                                                                known::separable({1, 1}, {1, 1})};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert
