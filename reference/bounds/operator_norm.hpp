// Norms of a normalizer's Jacobian at a row, from the dense matrix: column by column out of the reference of its
// derivative (value i of the row with upstream gradient e_j is J_ji), so that no formula of a norm is taken on trust.
// O(L^3): short rows.
#pragma once

#include <span>

#include "reference/bounds/spectral_norm.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

struct OperatorNorms {
  Interval spectral, frobenius;
};

// derivative: the normalizer's "-vjp"; row: without upstream, every entry present, where the map is differentiable.
OperatorNorms operator_norms(const Normalizer& derivative, const LogitRow& row, Precision precision);

// J = (I - a 1^T) diag(g) with a = weights / sum of weights.
OperatorNorms separable_norms(std::span<const double> weights, std::span<const double> slopes, Precision precision);

}  // namespace attncert::reference
