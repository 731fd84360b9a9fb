// Sides that the claims about a separable F share (docs/specification.md#lemma2): the spectral norm of its Jacobian.
#pragma once

#include "properties/claims/claim.hpp"

namespace attncert::sides {

Interval jacobian_norm(const Instance& instance, Precision precision);  // ||J||_2, J = (I - a 1^T) diag(F'/S)

// J^T J - x I is singular and J^T J <= x I, decided in rationals: ||J||_2^2 = x exactly.
bool squared_jacobian_norm_is(const Instance& instance, const Rational& x);

}  // namespace attncert::sides
