#include "properties/conformance/bounds/meant_weights.hpp"

#include <cmath>

#include "properties/conformance/bounds/rows.hpp"

namespace attncert::bound_subject {

// |w - exact| <= e exact: w = exact (1 + t e), t in [-1, 1].
void draw_meant(BoundRow& row, Choices& choices) {
  if (!draw_one_in(choices, 4)) return;
  row.relative_error = std::pow(10, draw_uniform(choices, -15, -5));
  for (const double weight : row.weights) {
    const Rational t(static_cast<long>(choices.below(2001)) - 1000, 1000);
    row.meant.emplace_back(exact(weight) / (1 + t * exact(row.relative_error)));
  }
}

std::vector<Rational> meant(const BoundRow& row) {
  if (!row.meant.empty()) return row.meant;
  std::vector<Rational> weights;
  for (const double weight : row.weights) weights.push_back(exact(weight));
  return weights;
}

// O(L) formulas without cancellation: 1e-12 (docs/bounds.md), and what inexact weights cost, a small multiple of their
// error. "lower" has a root of a difference in it that is 1 / L^2 of its terms at equal weights.
UsefulnessLimit weight_limit(std::string_view output, const BoundRow& row) {
  const auto length = static_cast<double>(row.weights.size());
  const double limit = 1e-12 + 40 * row.relative_error * (output == "lower" ? length * length : 1);
  return {limit, limit, 0};
}

}  // namespace attncert::bound_subject
