// Norms of the Jacobian of softmax, (diag p - p p^T) / T at p = w / sum w, and the bounds between which its spectral
// norm lies (docs/claims.md, claims softmax-spectral-bounds, softmax-quarter-*, jacobian-frobenius). All but the two
// roots are exact rationals before they are enclosed.
#pragma once

#include <span>

#include "reference/interval.hpp"

namespace attncert::reference {

struct SoftmaxNorms {
  Interval spectral, frobenius, entry, row_sum, lower, upper, root_bound, quarter, half;
};

// weights: >= 0, not all 0. temperature > 0.
SoftmaxNorms softmax_norms(std::span<const Rational> weights, const Rational& temperature, Precision precision);

}  // namespace attncert::reference
