// ||J||_F^2 = sum_j g_j^2 [(1-a_j)^2 + sum_{i != j} a_i^2] for a separable F > 0, g_j = F'_j/S
// (docs/specification.md#lemma2): the squared norms of the columns of J = (I - a 1^T) diag(g). The left side adds up
// the entries of J; both are rational.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/bounds/separable_jacobian.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

// The squares of the entries d(F_i / S) / dl_j of J, class by class of alike tokens.
Rational from_entries(const Instance& instance) {
  const auto classes = reference::alike_tokens(instance.F, instance.dF);
  Rational squares = 0;
  for (const auto& c : classes)
    for (const auto& d : classes) {
      const Rational beside = c.a * d.g, diagonal = c.g - c.a * c.g;
      const Rational pairs = Rational(c.count) * d.count, equal = &c == &d ? Rational(c.count) : Rational(0);
      squares += (pairs - equal) * beside * beside + equal * diagonal * diagonal;
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
                    .kind =
                        Sided{.parts = {{.left = "||J||_F^2",
                                         .right =
                                             "sum over j of g_j^2 [(1-a_j)^2 + sum over i != j of a_i^2], g_j = F'_j/S",
                                         .relation = Relation::equal,
                                         .lhs = sides::enclosed<from_entries>,
                                         .rhs = sides::enclosed<from_columns>,
                                         .attained = sides::equal<from_entries, from_columns>}},
                              .hypotheses = {hypotheses::values_with_slopes},
                              .attained_is_cheap = true,
                              .generate = separable_row,
                              .known =
                                  [] {
                                    return known::Instances{
                                        known::separable({1, 2, 3}, {1, 1, 1}),
                                        known::separable(known::Row(4096, 1), known::repeated(1, 0, 4096))};
                                  }}},
      .expected = Expected::supported};
}

}  // namespace attncert
