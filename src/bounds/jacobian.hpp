// Norms of the Jacobian of softmax, (diag p - p p^T) / T, for p = w / sum w, in O(L) for any spectrum: lambda_1 is the
// root of the secular equation (docs/claims.md, claims softmax-spectral-bounds and jacobian-*; Golub 1973 for the
// equation).
#pragma once

#include <span>

#include "src/bounds/certified.hpp"

namespace attncert::bounds {

struct SoftmaxJacobian {
  Certified spectral;       // lambda_1 / T
  Certified frobenius;      // sqrt(sum over i, j of J_ij^2)
  Certified entry;          // max |J_ij| = max p_i (1 - p_i) / T: the norm from l_1 to l_inf
  Certified row_sum;        // max_i sum_j |J_ij| = 2 entry: the norm on l_1 and on l_inf
  Certified lower;          // ell(p1, p2) / T <= spectral
  Certified upper;          // p1 (1 - p1 + p2) / T >= spectral
  Certified root_bound;     // sqrt(A (1 - A)) / T, A = sum p^2: >= frobenius
  Certified quarter, half;  // 1 / (4T), 1 / (2T): the printed bound and the true supremum
};

// weights: >= 0, finite, not all 0 (else every number is `unknown`); L = 1 gives 0. relative_error: of each weight
// against the one meant, |w - exact| <= relative_error * exact; the errors returned cover it. temperature > 0.
template <class T>
SoftmaxJacobian softmax_jacobian(std::span<const T> weights, double temperature, double relative_error = 0);

}  // namespace attncert::bounds
