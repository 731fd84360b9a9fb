// Norms of softmax's Jacobian at given weights, exact or meant within a relative error.
#include "properties/conformance/bounds/device_rows.hpp"
#include "properties/conformance/bounds/enclosures.hpp"
#include "properties/conformance/bounds/meant_weights.hpp"
#include "properties/conformance/bounds/narrowed.hpp"
#include "properties/conformance/bounds/rows.hpp"
#include "reference/bounds/softmax_norms.hpp"
#include "src/bounds/device/row_sums.hpp"
#include "src/bounds/jacobian.hpp"

namespace attncert::bound_subject {
namespace {

BoundRow draw_row(Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row;
  row.dtype = dtype;
  row.weights = draw_weights(choices, draw_length(choices, size), dtype);
  row.temperature = draw_temperature(choices);
  draw_meant(row, choices);
  return row;
}

std::vector<Enclosure> truth_of(const BoundRow& row, Precision precision) {
  const reference::SoftmaxNorms norms = reference::softmax_norms(meant(row), exact(row.temperature), precision);
  Enclosures truths;
  truths.number("spectral", 0, norms.spectral);
  truths.number("frobenius", 0, norms.frobenius);
  truths.number("entry", 0, norms.entry);
  truths.number("row sum", 0, norms.row_sum);
  truths.number("lower", 0, norms.lower);
  truths.number("upper", 0, norms.upper);
  truths.number("root bound", 0, norms.root_bound);
  if (row.weights.size() > 1) {
    truths.number("quarter", 0, norms.quarter);
    truths.number("half", 0, norms.half);
  }
  return std::move(truths).list();
}

std::vector<Reported> reported_of(const bounds::SoftmaxJacobian& norms) {
  return {reported("spectral", 0, norms.spectral),
          reported("frobenius", 0, norms.frobenius),
          reported("entry", 0, norms.entry),
          reported("row sum", 0, norms.row_sum),
          reported("lower", 0, norms.lower),
          reported("upper", 0, norms.upper),
          reported("root bound", 0, norms.root_bound),
          reported("quarter", 0, norms.quarter),
          reported("half", 0, norms.half)};
}

std::vector<Reported> reported_by_kernel(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights);
    return reported_of(bounds::softmax_jacobian<T>(weights, row.temperature, row.relative_error));
  });
}

std::vector<Reported> reported_by_device(const BoundRow& row) {
  const bounds::AskedWeights asked{row.weights, row.relative_error, row.temperature};
  const auto norms = bounds::device_softmax_jacobians(device_of_bounds(), {&asked, 1});
  ATTNCERT_ASSERT(norms);
  return reported_of(norms->front());
}

}  // namespace

extern const BoundSubject softmax_jacobian_bound{.name = "softmax-jacobian",
                                                 .text = "norms of softmax's Jacobian",
                                                 .place = 2,
                                                 .row = draw_row,
                                                 .truth = truth_of,
                                                 .limit = weight_limit,
                                                 .kernel = reported_by_kernel,
                                                 .on_device = reported_by_device};

}  // namespace attncert::bound_subject
