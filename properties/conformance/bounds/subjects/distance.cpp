// Theorem 1: the distance of a selection from its context, its bounds and what they are made of, for every N.
#include "reference/bounds/distance.hpp"

#include "properties/conformance/bounds/curves.hpp"
#include "properties/conformance/bounds/device_rows.hpp"
#include "properties/conformance/bounds/enclosures.hpp"
#include "src/bounds/distance.hpp"

namespace attncert::bound_subject {
namespace {

std::vector<Enclosure> truth_of(const BoundRow& row, Precision precision) {
  const reference::WeightedRow tokens = weighted(row, precision);
  Enclosures truths;
  truths.count("ties", 0, tokens.ties(), tokens.ties(), 0);
  for (const std::size_t N : row.points) {
    const reference::DistanceTruth truth = reference::distance_truth(tokens, N);
    truths.number("distance", N, truth.distance, truth.distance_magnitude);
    truths.number("context", N, truth.context, truth.mean_magnitude);
    truths.number("selected mass", N, truth.selected_mass, truth.weight_magnitude);
    truths.number("unselected", N, truth.unselected, truth.mean_magnitude);
    truths.number("diameter", N, truth.diameter, truth.largest_norm);
    truths.number("largest selected", N, truth.largest_selected, truth.largest_norm);
    truths.number("printed", N, truth.printed, truth.printed_magnitude);
    truths.number("corrected", N, truth.corrected, truth.corrected_magnitude);
    truths.number("second moment", N, truth.second_moment, truth.moment_magnitude);
    if (truth.printed_expectation)
      truths.number("printed expectation", N, *truth.printed_expectation, truth.expectation_magnitude);
  }
  return std::move(truths).list();
}

std::vector<Reported> reported_of(const bounds::DistanceCurves& curves) {
  std::vector<Reported> list{reported("ties", 0, curves.ties, curves.ties)};
  for (std::size_t point = 0; point < curves.N.size(); ++point) {
    const std::size_t N = curves.N[point];
    list.push_back(reported("distance", N, curves.distance[point]));
    list.push_back(reported("context", N, curves.context[point]));
    list.push_back(reported("selected mass", N, curves.selected_mass[point]));
    list.push_back(reported("unselected", N, curves.unselected[point]));
    list.push_back(reported("diameter", N, curves.diameter[point]));
    list.push_back(reported("largest selected", N, curves.largest_selected[point]));
    list.push_back(reported("printed", N, curves.printed[point]));
    list.push_back(reported("corrected", N, curves.corrected[point]));
    list.push_back(reported("second moment", N, curves.second_moment[point]));
    list.push_back(reported("printed expectation", N, curves.printed_expectation[point]));
  }
  return list;
}

std::vector<Reported> reported_by_kernel(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const Inputs<T> inputs(row);
    bounds::DistanceCurves curves;
    if (row.shares_gram) {
      const bounds::Gram<T> gram(inputs.view);
      bounds::distance_curves<T>(inputs.weights, gram, inputs.points, curves);
    } else {
      bounds::distance_curves<T>(inputs.weights, inputs.view, inputs.points, curves);
    }
    return reported_of(curves);
  });
}

std::vector<Reported> reported_by_device(const BoundRow& row) {
  std::vector<Reported> list;
  curves_on_device(row, [&](const auto& distance, const auto&) { list = reported_of(distance); });
  return list;
}

}  // namespace

extern const BoundSubject distance_bound{.name = "distance",
                                         .text = "Theorem 1's quantities for every N",
                                         .place = 0,
                                         .row = weighted_tokens_row,
                                         .truth = truth_of,
                                         .limit = curve_limit,
                                         .kernel = reported_by_kernel,
                                         .on_device = reported_by_device};

}  // namespace attncert::bound_subject
