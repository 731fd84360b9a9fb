#include "reference/bounds/operator_norm.hpp"

#include <vector>

namespace attncert::reference {
namespace {

OperatorNorms norms(const Matrix& jacobian, Precision precision) {
  return {spectral_norm(jacobian, precision), frobenius_norm(jacobian, precision)};
}

}  // namespace

OperatorNorms operator_norms(const Normalizer& derivative, const LogitRow& row, Precision precision) {
  ATTNCERT_ASSERT(derivative.derivative);
  const std::size_t length = row.logits.size();
  Matrix jacobian{length, length, {}};
  for (std::size_t j = 0; j < length; ++j) {
    LogitRow column = row;
    column.upstream.assign(length, 0);
    column.upstream[j] = 1;
    const auto truth = derivative.truth(column);
    for (std::size_t i = 0; i < length; ++i) jacobian.entries.push_back(truth->value(i, precision));
  }
  return norms(jacobian, precision);
}

OperatorNorms separable_norms(std::span<const double> weights, std::span<const double> slopes, Precision precision) {
  std::vector<Rational> a, g;
  Rational total = 0;
  for (const double weight : weights) {
    a.push_back(exact(weight));
    total += a.back();
  }
  for (const double slope : slopes) g.emplace_back(exact(slope) * total);
  return norms(separable_jacobian(a, g, precision), precision);
}

}  // namespace attncert::reference
