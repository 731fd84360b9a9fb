// Finite differences of softmax: how far a step of eps along a direction moves the weights.
#include <algorithm>
#include <cmath>

#include "properties/conformance/bounds/enclosures.hpp"
#include "properties/conformance/bounds/narrowed.hpp"
#include "properties/conformance/bounds/rows.hpp"
#include "reference/bounds/finite_difference.hpp"
#include "src/bounds/finite_difference.hpp"

namespace attncert::bound_subject {
namespace {

BoundRow draw_row(Choices& choices, attncert_dtype dtype, RowSize size) {
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

std::vector<Enclosure> truth_of(const BoundRow& row, Precision precision) {
  Enclosures truths;
  truths.number("quotient", 0,
                reference::difference_quotient(row.logits, row.direction, row.eps, row.temperature, precision),
                1 / row.temperature);
  return std::move(truths).list();
}

// exp(l / T) loses the digits that l / T has before the point (at most 10^5 here); the difference those of eps, beside
// 1 / T.
UsefulnessLimit limit_of(std::string_view, const BoundRow& row) {
  return {1e-9, 1e-13 + 1e-14 / std::min(1.0, row.eps), 0};
}

std::vector<Reported> reported_by_kernel(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> logits = narrowed<T>(row.logits);
    return std::vector<Reported>{
        reported("quotient", 0, bounds::difference_quotient<T>(logits, row.direction, row.eps, row.temperature))};
  });
}

}  // namespace

extern const BoundSubject difference_quotient_bound{.name = "difference-quotient",
                                                    .text = "finite differences of softmax",
                                                    .place = 5,
                                                    .row = draw_row,
                                                    .truth = truth_of,
                                                    .limit = limit_of,
                                                    .kernel = reported_by_kernel};

}  // namespace attncert::bound_subject
