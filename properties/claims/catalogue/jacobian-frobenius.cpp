// ||J||_F^2 = sum_j g_j^2 [(1-a_j)^2 + sum_{i != j} a_i^2] for a separable F > 0, g_j = F'_j/S
// (docs/specification.md#lemma2): the squared norms of the columns of J = (I - a 1^T) diag(g). The left side adds up
// the entries of J; both are rational.
#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational from_entries(const Instance& instance) {
  const Rational total = sum(instance.F);
  Rational squares = 0;
  for (std::size_t i = 0; i < instance.length; ++i)
    for (std::size_t j = 0; j < instance.length; ++j) {
      // d(F_i / S) / dl_j
      const Rational direct = i == j ? Rational(instance.dF[i] / total) : Rational(0);
      const Rational entry = direct - instance.F[i] * instance.dF[j] / (total * total);
      squares += entry * entry;
    }
  return squares;
}

Rational from_columns(const Instance& instance) {
  const sides::WeightsAndSlopes row(instance);
  const Rational squares = sum_of_squares(row.a);
  Rational result = 0;
  for (std::size_t j = 0; j < instance.length; ++j) {
    const Rational &a = row.a[j], &g = row.g[j];
    result += g * g * ((1 - a) * (1 - a) + squares - a * a);
  }
  return result;
}

}  // namespace

Claim jacobian_frobenius() {
  return {
      .statement = {.source = "corrected Lemma 2, Frobenius norm",
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
                                  .hypotheses = {hypotheses::positive_values},
                                  .lhs = sides::enclosed<from_entries>,
                                  .rhs = sides::enclosed<from_columns>,
                                  .attained = sides::equal<from_entries, from_columns>,
                                  .attained_is_cheap = true,
                                  .generate = separable_row}},
      .expected = Expected::supported};
}

}  // namespace attncert
