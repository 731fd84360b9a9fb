#include "properties/claims/catalogue/sides/separable.hpp"

#include <vector>

#include "properties/claims/instances/weights.hpp"
#include "reference/bounds/spectral_norm.hpp"
#include "reference/exact_rows.hpp"

namespace attncert::sides {

WeightsAndSlopes::WeightsAndSlopes(const Instance& instance)
    : a(normalized(instance.F)), g(scaled(1 / sum(instance.F), instance.dF)) {}

Interval jacobian_norm(const Instance& instance, Precision precision) {
  return reference::spectral_norm(reference::separable_jacobian(instance.F, instance.dF, precision), precision);
}

// Symmetric elimination without row exchanges: x I - J^T J is positive semidefinite iff every pivot is >= 0 and a zero
// pivot has a zero row; it is singular iff some pivot is zero.
bool squared_jacobian_norm_is(const Instance& instance, const Rational& x) {
  const std::size_t n = instance.length;
  const WeightsAndSlopes row(instance);
  std::vector<std::vector<Rational>> jacobian(n, std::vector<Rational>(n)), rest = jacobian;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) jacobian[i][j] = ((i == j ? Rational(1) : Rational(0)) - row.a[i]) * row.g[j];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) rest[i][j] = x;
      for (std::size_t k = 0; k < n; ++k) rest[i][j] -= jacobian[k][i] * jacobian[k][j];
    }
  bool singular = false;
  for (std::size_t k = 0; k < n; ++k) {
    if (sgn(rest[k][k]) < 0) return false;
    if (sgn(rest[k][k]) == 0) {
      for (std::size_t j = k; j < n; ++j)
        if (sgn(rest[k][j]) != 0) return false;
      singular = true;
      continue;
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const Rational factor = rest[i][k] / rest[k][k];
      for (std::size_t j = k; j < n; ++j) rest[i][j] -= factor * rest[k][j];
    }
  }
  return singular;
}

}  // namespace attncert::sides
