// Norms of the Jacobian of any normalizer that has a formula, at logits, or of a separable one at weights and slopes.
#include <cmath>
#include <string>

#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/bounds/device_rows.hpp"
#include "properties/conformance/bounds/enclosures.hpp"
#include "properties/conformance/bounds/narrowed.hpp"
#include "properties/conformance/bounds/rows.hpp"
#include "properties/conformance/subjects.hpp"
#include "reference/bounds/operator_norm.hpp"
#include "src/bounds/device/operator_norms.hpp"
#include "src/bounds/operator_norm.hpp"

namespace attncert::bound_subject {
namespace {

BoundRow draw_row(Choices& choices, attncert_dtype dtype, RowSize) {
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
  const auto with_norm = bounds::normalizers_with_operator_norm();
  row.normalizer = with_norm[choices.below(with_norm.size())];
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

std::vector<Enclosure> truth_of(const BoundRow& row, Precision precision) {
  Enclosures truths;
  const auto add = [&](const reference::OperatorNorms& norms) {
    truths.number("spectral", 0, norms.spectral, norms.frobenius.midpoint());
    truths.number("frobenius", 0, norms.frobenius);
  };
  if (row.normalizer.empty()) {
    add(reference::separable_norms(row.weights, row.slopes, precision));
  } else {
    // A single weight that has to sum to 1 does not change, which no enclosure of 1 - 1 can show.
    const Laws& laws = find_subject(row.normalizer)->laws;
    if (row.logits.size() == 1 && (laws.has(Law::sums_to_one) || laws.has(Law::exponentials_sum_to_one))) {
      const Interval zero(0.0, precision);
      add({zero, zero});
      return std::move(truths).list();
    }
    const Subject& derivative = *find_subject(row.normalizer + "-vjp");
    LogitRow logits{row.logits, row.temperature, {}, row.parameters, {}};
    add(reference::operator_norms(derivative, logits, precision));
  }
  return std::move(truths).list();
}

// Weights of f32 logits come from kernels that promise a few ulp of f32.
UsefulnessLimit limit_of(std::string_view, const BoundRow& row) {
  const double limit = row.dtype == ATTNCERT_F32 && !row.normalizer.empty() ? 1e-5 : 1e-10;
  return {limit, limit, 0};
}

std::vector<Reported> reported_of(const bounds::OperatorNorm& norm) {
  return {reported("spectral", 0, norm.spectral), reported("frobenius", 0, norm.frobenius)};
}

std::vector<Reported> reported_by_kernel(const BoundRow& row) {
  const attncert_parameters parameters = parameters_of(row.parameters);
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights), slopes = narrowed<T>(row.slopes),
                         logits = narrowed<T>(row.logits);
    return reported_of(row.normalizer.empty()
                           ? bounds::separable_jacobian<T>(weights, slopes)
                           : bounds::operator_norm<T>(row.normalizer, logits, row.temperature, &parameters));
  });
}

std::vector<Reported> reported_by_device(const BoundRow& row) {
  const attncert_parameters parameters = parameters_of(row.parameters);
  const bounds::AskedNorm asked{row.normalizer, row.logits, row.temperature, &parameters};
  const bounds::AskedSeparable separable{row.weights, row.slopes};
  const auto norms = row.normalizer.empty() ? bounds::device_separable_jacobians(device_of_bounds(), {&separable, 1})
                                            : bounds::device_operator_norms(device_of_bounds(), {&asked, 1});
  ATTNCERT_ASSERT(norms);
  return reported_of(norms->front());
}

}  // namespace

extern const BoundSubject operator_norm_bound{.name = "operator-norm",
                                              .text = "norms of any normalizer's Jacobian",
                                              .place = 3,
                                              .row = draw_row,
                                              .truth = truth_of,
                                              .limit = limit_of,
                                              .kernel = reported_by_kernel,
                                              .on_device = reported_by_device};

}  // namespace attncert::bound_subject
