// Figures of one row of weights by which heads are called sharp, broad or sinks.
#include "reference/bounds/head_statistics.hpp"

#include "properties/conformance/bounds/device_rows.hpp"
#include "properties/conformance/bounds/enclosures.hpp"
#include "properties/conformance/bounds/meant_weights.hpp"
#include "properties/conformance/bounds/narrowed.hpp"
#include "properties/conformance/bounds/rows.hpp"
#include "src/bounds/device/row_sums.hpp"
#include "src/bounds/head_statistics.hpp"

namespace attncert::bound_subject {
namespace {

BoundRow draw_row(Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row;
  row.dtype = dtype;
  row.weights = draw_weights(choices, draw_length(choices, size), dtype);
  row.k = 1 + choices.below(row.weights.size() + 1);
  draw_meant(row, choices);
  return row;
}

std::vector<Enclosure> truth_of(const BoundRow& row, Precision precision) {
  const reference::HeadTruth head = reference::head_truth(meant(row), row.k, precision);
  Enclosures truths;
  truths.number("entropy", 0, head.entropy);
  truths.number("n_eff", 0, head.n_eff);
  truths.number("participation", 0, head.participation);
  truths.count("support", 0, head.support, head.support, 0);
  truths.number("top mass", 0, head.top_mass);
  truths.number("largest", 0, head.largest);
  truths.number("sink", 0, head.sink);
  truths.number("margin", 0, head.margin, head.largest.midpoint());
  return std::move(truths).list();
}

std::vector<Reported> reported_of(const bounds::HeadStatistics& head) {
  return {reported("entropy", 0, head.entropy),
          reported("n_eff", 0, head.n_eff),
          reported("participation", 0, head.participation),
          reported("support", 0, head.support, head.support),
          reported("top mass", 0, head.top_mass),
          reported("largest", 0, head.largest),
          reported("sink", 0, head.sink),
          reported("margin", 0, head.margin)};
}

std::vector<Reported> reported_by_kernel(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights);
    return reported_of(bounds::head_statistics<T>(weights, row.k, row.relative_error));
  });
}

std::vector<Reported> reported_by_device(const BoundRow& row) {
  const bounds::AskedWeights asked{row.weights, row.relative_error};
  const auto heads = bounds::device_head_statistics(device_of_bounds(), {&asked, 1}, row.k);
  ATTNCERT_ASSERT(heads);
  return reported_of(heads->front());
}

}  // namespace

extern const BoundSubject head_statistics_bound{.name = "head-statistics",
                                                .text = "figures of one row of weights",
                                                .place = 4,
                                                .row = draw_row,
                                                .truth = truth_of,
                                                .limit = weight_limit,
                                                .kernel = reported_by_kernel,
                                                .on_device = reported_by_device};

}  // namespace attncert::bound_subject
