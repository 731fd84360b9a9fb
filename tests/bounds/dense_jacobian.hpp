// Dense Jacobians in long double, from their definitions, and the comparison with a norm: what the tests of operator
// norms share.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "src/bounds/operator_norm.hpp"

namespace attncert::bounds {

using Random = std::mt19937_64;
using Real = long double;
using Vector = std::vector<Real>;

double uniform(Random& random, double low, double high);
double gaussian(Random& random);
Real sum_of(const Vector& v);

struct Dense {
  explicit Dense(std::size_t length) : size(length), entries(length * length) {}
  double& operator()(std::size_t i, std::size_t j) { return entries[i * size + j]; }

  std::size_t size;
  std::vector<double> entries;
};

// (I - a 1^T) diag(g), a = w / sum w, and (diag w - w w^T / (v + sum w)) / divisor; both without cancellation on the
// diagonal.
Dense separable_matrix(const Vector& w, const Vector& g);
Dense symmetric_matrix(const Vector& w, Real v, Real divisor);

double frobenius_of(const Dense& J);

// |value - truth| <= error + what the dense solver may be off by, and the error is of use.
void expect_near(const OperatorNorm& got, const Dense& J, const std::string& where, double sharp = 1e-10);

}  // namespace attncert::bounds
