// Rows of every subject.
#include <algorithm>
#include <cmath>
#include <string>

#include "properties/conformance/bounds/rows.hpp"
#include "properties/conformance/bounds/subjects.hpp"

namespace attncert::bound_subject {
namespace {

// |w - exact| <= e exact: w = exact (1 + t e), t in [-1, 1]. Every quarter row.
void draw_meant(BoundRow& row, Choices& choices) {
  if (!draw_one_in(choices, 4)) return;
  row.relative_error = std::pow(10, draw_uniform(choices, -15, -5));
  for (const double weight : row.weights) {
    const Rational t(static_cast<long>(choices.below(2001)) - 1000, 1000);
    row.meant.emplace_back(exact(weight) / (1 + t * exact(row.relative_error)));
  }
}

constexpr std::string_view with_norm[] = {
    "softmax",  "log-softmax", "sparsemax",          "entmax",          "entmax-1.5",     "ssmax",
    "softmax1", "sigmoid",     "sigmoid-normalized", "relu-normalized", "taylor-softmax", "top-k-softmax"};

}  // namespace

BoundRow distance_row(Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row;
  row.dtype = dtype;
  draw_weighted_tokens(row, choices, size);
  return row;
}

BoundRow jacobian_row(Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row;
  row.dtype = dtype;
  row.weights = draw_weights(choices, draw_length(choices, size), dtype);
  row.temperature = draw_temperature(choices);
  draw_meant(row, choices);
  return row;
}

BoundRow operator_row(Choices& choices, attncert_dtype dtype, RowSize) {
  BoundRow row;
  row.dtype = dtype;
  const std::size_t length = 1 + choices.below(8);  // the truth is a dense matrix
  row.temperature = draw_temperature(choices);
  if (draw_one_in(choices, 3)) {
    row.weights = draw_weights(choices, length, dtype);
    const bool tied = draw_one_in(choices, 3);
    for (std::size_t j = 0; j < length; ++j)
      row.slopes.push_back(as(dtype, tied ? (draw_one_in(choices, 2) ? 1.0 : -1.0) : draw_distinct_normal(choices, j)));
    return row;
  }
  row.normalizer = with_norm[choices.below(std::size(with_norm))];
  // No ties at an edge, where a map is not differentiable: distinct logits, and all equal ones now and then.
  const bool equal =
      draw_one_in(choices, 8) && row.normalizer != "top-k-softmax" && row.normalizer != "relu-normalized";
  const double spread = draw_one_in(choices, 4) ? 8 : 1.5;
  for (std::size_t i = 0; i < length; ++i) {
    const double normal = equal ? 0 : draw_distinct_normal(choices, i);
    row.logits.push_back(as(dtype, equal ? 0.75 : spread * normal));
  }
  if (row.normalizer == "relu-normalized") row.logits[0] = as(dtype, std::abs(row.logits[0]) + 0.5);
  // Beyond this the smaller exponentials leave the range of doubles, and with them what a Jacobian near a vertex is
  // made of.
  constexpr double deepest = 600;
  for (const double logit : row.logits) row.ordinary &= std::abs(logit) <= deepest * row.temperature;
  row.parameters.k = 1 + choices.below(length + 1);
  row.parameters.order = draw_one_in(choices, 2) ? 2 : 4;
  row.parameters.scale = draw_one_in(choices, 2) ? 1 : as(dtype, draw_distinct_normal(choices, 0));
  row.parameters.bias = draw_one_in(choices, 2) ? 0 : as(dtype, draw_normal(choices));
  if (draw_one_in(choices, 2))
    row.parameters.alpha_numerator = 5 + choices.below(4), row.parameters.alpha_denominator = 4;
  return row;
}

BoundRow head_row(Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row;
  row.dtype = dtype;
  row.weights = draw_weights(choices, draw_length(choices, size), dtype);
  row.k = 1 + choices.below(row.weights.size() + 1);
  draw_meant(row, choices);
  return row;
}

BoundRow quotient_row(Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row;
  row.dtype = dtype;
  const std::size_t length = draw_length(choices, size);
  row.logits = draw_logits(choices, length, dtype);
  row.temperature = draw_temperature(choices);
  row.eps = std::pow(10, draw_uniform(choices, -9, 1));
  const std::uint64_t kind = choices.below(4);
  for (std::size_t i = 0; i < length; ++i)
    row.direction.push_back(kind == 0   ? 1.0
                            : kind == 1 ? (i == 0   ? 1.0
                                           : i == 1 ? -1.0
                                                    : 0.0)
                                        : draw_distinct_normal(choices, i));
  if (kind == 3)
    for (double& entry : row.direction) entry *= 1e-6;
  return row;
}

}  // namespace attncert::bound_subject

namespace attncert {

BoundRow draw_bound_row(const BoundSubject& subject, Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row = subject.row(choices, dtype, size);
  bound_subject::draw_special_values(row, choices);
  return row;
}

BoundRow numbered_bound_row(const BoundSubject& subject, std::uint64_t seed, std::uint64_t number, attncert_dtype dtype,
                            RowSize size) {
  const Tape tape = random_tape(seed, "bound", number, bound_subject::tape_length(size));
  Choices choices(tape);
  return draw_bound_row(subject, choices, dtype, size);
}

}  // namespace attncert
