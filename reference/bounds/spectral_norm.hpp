// Certified spectral norm of a small dense matrix: ||A||_2^2 is the largest eigenvalue of A^T A. A Rayleigh quotient of
// any vector is a lower bound; x is an upper bound when x I - A^T A has a Cholesky factorization in intervals.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/interval.hpp"

namespace attncert::reference {

struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<Interval> entries;  // row-major
  const Interval& operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
};

Interval spectral_norm(const Matrix& matrix, Precision precision);  // O(rows columns^2 + columns^3)
Interval frobenius_norm(const Matrix& matrix, Precision precision);

// Jacobian of a_i = F_i / sum F (docs/specification.md#lemma2): J = (I - a 1^T) diag(F'_j / S).
Matrix separable_jacobian(const std::vector<Rational>& F, const std::vector<Rational>& dF, Precision precision);

}  // namespace attncert::reference
