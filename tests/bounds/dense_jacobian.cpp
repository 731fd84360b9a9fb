#include "tests/bounds/dense_jacobian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace attncert::bounds {
namespace {

Real sum_without(const Vector& v, std::size_t skipped) {
  Real sum = 0;
  for (std::size_t k = 0; k < v.size(); ++k)
    if (k != skipped) sum += v[k];
  return sum;
}

Eigen::Map<const Eigen::MatrixXd> matrix_of(const Dense& J) {  // of the transpose, which has the same norms
  const auto n = static_cast<Eigen::Index>(J.size);
  return {J.entries.data(), n, n};
}

}  // namespace

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
double gaussian(Random& random) { return std::normal_distribution<double>()(random); }
Real sum_of(const Vector& v) { return sum_without(v, v.size()); }

Dense separable_matrix(const Vector& w, const Vector& g) {
  const Real sum = sum_of(w);
  Dense J(w.size());
  for (std::size_t i = 0; i < w.size(); ++i)
    for (std::size_t j = 0; j < w.size(); ++j)
      J(i, j) = static_cast<double>((i == j ? sum_without(w, i) : -w[i]) / sum * g[j]);
  return J;
}

Dense symmetric_matrix(const Vector& w, Real v, Real divisor) {
  const Real sum = sum_of(w) + v;
  Dense J(w.size());
  for (std::size_t i = 0; i < w.size(); ++i)
    for (std::size_t j = 0; j < w.size(); ++j)
      J(i, j) = static_cast<double>(w[i] * (i == j ? v + sum_without(w, i) : -w[j]) / sum / divisor);
  return J;
}

double frobenius_of(const Dense& J) { return matrix_of(J).norm(); }

void expect_near(const OperatorNorm& got, const Dense& J, const std::string& where, double sharp) {
  const double spectral = Eigen::JacobiSVD<Eigen::MatrixXd>(matrix_of(J)).singularValues()(0);
  const double frobenius = frobenius_of(J), dense = 1e-13 * frobenius;
  EXPECT_NEAR(got.spectral.value, spectral, got.spectral.error + dense) << where;
  EXPECT_NEAR(got.frobenius.value, frobenius, got.frobenius.error + dense) << where;
  EXPECT_LE(got.spectral.error, sharp * got.spectral.value) << where;
  EXPECT_LE(got.frobenius.error, 1e-12 * got.frobenius.value) << where;
}

}  // namespace attncert::bounds
