// ||J||_F^2 = sum_j g_j^2 [(1-a_j)^2 + sum_{i != j} a_i^2] for a separable F > 0, g_j = F'_j/S
// (docs/specification.md#lemma2): the squared norms of the columns of J = (I - a 1^T) diag(g). The left side adds up
// the entries of J; both are rational.
#include <vector>

#include "properties/claims/claim.hpp"
#include "properties/claims/instances/hypotheses.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Rational total(const std::vector<Rational>& values) {
  Rational sum = 0;
  for (const Rational& value : values) sum += value;
  return sum;
}

Rational from_entries(const Instance& instance) {
  const Rational sum = total(instance.F);
  Rational squares = 0;
  for (std::size_t i = 0; i < instance.length; ++i)
    for (std::size_t j = 0; j < instance.length; ++j) {
      // d(F_i / S) / dl_j
      const Rational direct = i == j ? Rational(instance.dF[i] / sum) : Rational(0);
      const Rational entry = direct - instance.F[i] * instance.dF[j] / (sum * sum);
      squares += entry * entry;
    }
  return squares;
}

Rational from_columns(const Instance& instance) {
  const Rational sum = total(instance.F);
  Rational squares = 0, result = 0;
  for (const Rational& value : instance.F) squares += value / sum * (value / sum);
  for (std::size_t j = 0; j < instance.length; ++j) {
    const Rational a = instance.F[j] / sum, g = instance.dF[j] / sum;
    result += g * g * ((1 - a) * (1 - a) + squares - a * a);
  }
  return result;
}

Interval lhs(const Instance& instance, Precision precision) { return {from_entries(instance), precision}; }
Interval rhs(const Instance& instance, Precision precision) { return {from_columns(instance), precision}; }

bool attained(const Instance& instance) { return from_entries(instance) == from_columns(instance); }

}  // namespace

Claim jacobian_frobenius() {
  return {
      .statement = {.id = "jacobian-frobenius",
                    .source = "corrected Lemma 2, Frobenius norm",
                    .section = "8",
                    .text = "The Frobenius norm of the Jacobian of a separable positive F is a sum over its columns.",
                    .proof = "The derivative of F_i/S in l_j is g_j ([i = j] - a_i), that is J = (I - a 1^T) diag(g). "
                             "Column j is g_j (e_j - a), of squared norm g_j^2 [(1-a_j)^2 + sum over i != j of a_i^2], "
                             "and the squared Frobenius norm is the sum over the columns. Written with 1 - 2 a_j + "
                             "||a||^2 it is the same, but cancels in floating point as a_j -> 1.",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.left = "||J||_F^2",
                                  .right = "sum over j of g_j^2 [(1-a_j)^2 + sum over i != j of a_i^2], g_j = F'_j/S",
                                  .relation = Relation::equal,
                                  .hypotheses = {{"F > 0 at every logit", hypotheses::positive_values}},
                                  .lhs = lhs,
                                  .rhs = rhs,
                                  .attained = attained,
                                  .attained_is_cheap = true,
                                  .generate = separable_row}},
      .expected = Expected::supported};
}

}  // namespace attncert
