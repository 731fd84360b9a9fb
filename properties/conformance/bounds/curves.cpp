#include "properties/conformance/bounds/curves.hpp"

#include "properties/conformance/bounds/rows.hpp"

namespace attncert::bound_subject {

BoundRow weighted_tokens_row(Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row;
  row.dtype = dtype;
  draw_weighted_tokens(row, choices, size);
  return row;
}

// Curves: a distance worse than the row's tolerance is done over from the vectors, whose f64 sums lose at most 10^4
// roundings of the magnitude here. What else comes from inner products is a root of a difference: of 2^-53 d in f64,
// 2^-24 in f32, and a root of those is 10^-7 and 10^-3 of the magnitude, with what the d = 64 terms and the constants
// leave.
UsefulnessLimit curve_limit(std::string_view output, const BoundRow& row) {
  if (output == "distance") return {2 * row.tolerance, 1e-12, 0};
  if (row.dtype == ATTNCERT_F32) return {1e-4, 1e-3, 0};
  // eta and xi are roots of a difference of squares, those of delta and Delta among them, which the Gram matrix states
  // to some 10^-10; where eta is 0 a root of many of those is left.
  const bool radius = output.starts_with("eta") || output.starts_with("xi");
  return {1e-10, radius ? 1e-3 : 1e-6, 0};
}

reference::WeightedRow weighted(const BoundRow& row, Precision precision) {
  return {{row.weights, row.tokens, row.dimension, row.divided}, precision};
}

std::size_t radii_point(const BoundRow& row) { return (row.weights.size() + 1) / 2; }

}  // namespace attncert::bound_subject
