// What the subjects of curves over N share: rows of weights and tokens, as reference and kernels take them, and which
// errors are of use.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/bounds/narrowed.hpp"
#include "reference/bounds/weighted_tokens.hpp"
#include "src/bounds/row.hpp"

namespace attncert::bound_subject {

BoundRow weighted_tokens_row(Choices& choices, attncert_dtype dtype, RowSize size);
UsefulnessLimit curve_limit(std::string_view output, const BoundRow& row);
reference::WeightedRow weighted(const BoundRow& row, Precision precision);

// N at which xi_i and eta_i themselves are asked for: the middle one of the points.
std::size_t radii_point(const BoundRow& row);

// As the kernels take a row: with a Gram matrix where the row says so, else from the vectors. Every other token buffer
// has numbers between its rows that must not be read.
template <class T>
struct Inputs {
  std::vector<T> weights, tokens;
  bounds::Tokens<T> view;
  bounds::Points points;

  explicit Inputs(const BoundRow& row) : weights(narrowed<T>(row.weights)) {
    const std::size_t stride = row.dimension + row.weights.size() % 2 * 3;
    tokens.assign(row.weights.size() * stride, std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (std::size_t k = 0; k < row.dimension; ++k)
        tokens[i * stride + k] = static_cast<T>(row.tokens[i * row.dimension + k]);
    // A row over the first tokens of a larger set, whose others are a thousand times as large or as small.
    double largest = 0;
    for (const double component : row.tokens) largest = std::max(largest, std::fabs(component));
    const std::size_t behind = row.weights.size() % 3 == 0 ? 5 : 0;
    const T size = static_cast<T>(largest * (row.weights.size() % 2 == 0 ? 1e3 : 1e-3));
    tokens.resize(tokens.size() + behind * stride, size);
    view = {tokens.data(), weights.size() + behind, row.dimension, stride};
    // Every N may be asked for by naming none.
    if (row.points.size() != row.weights.size() + 1 || row.weights.size() % 2 == 0) points.at = row.points;
    points.tolerance = row.tolerance;
    points.weights = row.divided ? bounds::Weights::divided_by_their_sum : bounds::Weights::as_given;
  }
};

}  // namespace attncert::bound_subject
