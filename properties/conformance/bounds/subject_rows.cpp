// Rows of every subject.
#include <algorithm>
#include <cmath>
#include <string>

#include "properties/conformance/bounds/rows.hpp"
#include "properties/conformance/bounds/subjects.hpp"

namespace attncert::bound_subject {
namespace {

BoundRow named(std::string_view subject, std::uint64_t number, attncert_dtype dtype) {
  BoundRow row;
  row.name = std::string(subject) + ":" + std::to_string(number);
  row.dtype = dtype;
  return row;
}

// |w - exact| <= e exact: w = exact (1 + t e), t in [-1, 1]. Every quarter row.
void draw_meant(BoundRow& row, Draw& draw) {
  if (!draw.one_in(4)) return;
  row.relative_error = std::pow(10, draw.uniform(-15, -5));
  for (const double weight : row.weights) {
    const Rational t(static_cast<long>(draw.below(2001)) - 1000, 1000);
    row.meant.emplace_back(exact(weight) / (1 + t * exact(row.relative_error)));
  }
}

constexpr std::string_view with_norm[] = {
    "softmax",  "log-softmax", "sparsemax",          "entmax",          "entmax-1.5",     "ssmax",
    "softmax1", "sigmoid",     "sigmoid-normalized", "relu-normalized", "taylor-softmax", "top-k-softmax"};

}  // namespace

BoundRow distance_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size) {
  BoundRow row = named("row", number, dtype);
  Draw draw(seed, number);
  draw_weighted_tokens(row, draw, size);
  return row;
}

BoundRow jacobian_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size) {
  BoundRow row = named("row", number, dtype);
  Draw draw(seed, number);
  row.weights = draw_weights(draw, draw_length(draw, size), dtype);
  row.temperature = draw_temperature(draw);
  draw_meant(row, draw);
  return row;
}

BoundRow operator_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize) {
  BoundRow row = named("row", number, dtype);
  Draw draw(seed, number);
  const std::size_t length = 1 + draw.below(8);  // the truth is a dense matrix
  row.temperature = draw_temperature(draw);
  if (draw.one_in(3)) {
    row.weights = draw_weights(draw, length, dtype);
    const bool tied = draw.one_in(3);
    for (std::size_t j = 0; j < length; ++j)
      row.slopes.push_back(as(dtype, tied ? (draw.one_in(2) ? 1.0 : -1.0) : draw.normal()));
    return row;
  }
  row.normalizer = with_norm[draw.below(std::size(with_norm))];
  // No ties at an edge, where a map is not differentiable: distinct logits, and all equal ones now and then.
  const bool equal = draw.one_in(8) && row.normalizer != "top-k-softmax" && row.normalizer != "relu-normalized";
  const double spread = draw.one_in(4) ? 8 : 1.5;
  for (std::size_t i = 0; i < length; ++i) row.logits.push_back(as(dtype, equal ? 0.75 : spread * draw.normal()));
  if (row.normalizer == "relu-normalized") row.logits[0] = as(dtype, std::abs(row.logits[0]) + 0.5);
  // Beyond this the smaller exponentials leave the range of doubles, and with them what a Jacobian near a vertex is made of.
  constexpr double deepest = 600;
  for (const double logit : row.logits) row.ordinary &= std::abs(logit) <= deepest * row.temperature;
  row.parameters.k = 1 + draw.below(length + 1);
  row.parameters.order = draw.one_in(2) ? 2 : 4;
  row.parameters.scale = draw.one_in(2) ? 1 : as(dtype, draw.normal());
  row.parameters.bias = draw.one_in(2) ? 0 : as(dtype, draw.normal());
  if (draw.one_in(2)) row.parameters.alpha_numerator = 5 + draw.below(4), row.parameters.alpha_denominator = 4;
  return row;
}

BoundRow head_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size) {
  BoundRow row = named("row", number, dtype);
  Draw draw(seed, number);
  row.weights = draw_weights(draw, draw_length(draw, size), dtype);
  row.k = 1 + draw.below(row.weights.size() + 1);
  draw_meant(row, draw);
  return row;
}

BoundRow quotient_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size) {
  BoundRow row = named("row", number, dtype);
  Draw draw(seed, number);
  const std::size_t length = draw_length(draw, size);
  row.logits = draw_logits(draw, length, dtype);
  row.temperature = draw_temperature(draw);
  row.eps = std::pow(10, draw.uniform(-9, 1));
  const std::uint64_t kind = draw.below(4);
  for (std::size_t i = 0; i < length; ++i)
    row.direction.push_back(kind == 0 ? 1.0 : kind == 1 ? (i == 0 ? 1.0 : i == 1 ? -1.0 : 0.0) : draw.normal());
  if (kind == 3)
    for (double& entry : row.direction) entry *= 1e-6;
  return row;
}

}  // namespace attncert::bound_subject
