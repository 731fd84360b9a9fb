// Sides that the claims about a separable F share (docs/specification.md#lemma2): the spectral norm of its Jacobian.
#pragma once

#include "properties/claims/catalogue/sides/exact.hpp"

namespace attncert::sides {

// The row's weights a = F/S and slopes g = F'/S, S = sum F, exactly.
struct WeightsAndSlopes {
  std::vector<Rational> a, g;
  explicit WeightsAndSlopes(const Instance& instance);
};

Interval jacobian_norm(const Instance& instance, Precision precision);   // ||J||_2, J = (I - a 1^T) diag(g)
Interval frobenius_norm(const Instance& instance, Precision precision);  // ||J||_F, from its columns

// ||F'||/(L min F) + ||F|| ||F'||/(L^2 min F^2): Lemma 2's first term
Interval printed_first_term(const Instance& instance, Precision precision);

// J^T J - x I is singular and J^T J <= x I, decided in rationals: ||J||_2^2 = x exactly.
bool squared_jacobian_norm_is(const Instance& instance, const Rational& x);
template <Exact square>
bool squared_jacobian_norm_is(const Instance& instance) {
  return squared_jacobian_norm_is(instance, square(instance));
}

}  // namespace attncert::sides
