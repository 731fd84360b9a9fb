// The kernels of src/bounds for curves over N, as functions of a row: with a Gram matrix where the row says so, else
// from the vectors. Every other token buffer has numbers between its rows that must not be read.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "properties/conformance/bounds/narrowed.hpp"
#include "properties/conformance/bounds/subjects.hpp"
#include "src/bounds/distance.hpp"
#include "src/bounds/separability.hpp"

namespace attncert::bound_subject {
namespace {

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

// xi_i and eta_i in the order of the weights, which is also what `order` has to be.
template <class T>
void add_radii(std::vector<Reported>& list, const BoundRow& row, const Inputs<T>& inputs, const bounds::Gram<T>& gram) {
  bounds::Radii radii;
  bounds::radii<T>(inputs.weights, gram, radii_point(row), inputs.points.weights, radii);
  for (std::size_t k = 0; k < radii.order.size(); ++k) {
    const std::string of = " of " + std::to_string(k);
    list.push_back(reported("xi distinct" + of, 0, radii.xi[0][k]));
    list.push_back(reported("xi literal" + of, 0, radii.xi[1][k]));
    list.push_back(reported("eta" + of, 0, radii.eta[k]));
    list.push_back(reported("token" + of, 0, radii.order[k], radii.order[k]));
  }
}

}  // namespace

std::vector<Reported> distance(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const Inputs<T> inputs(row);
    bounds::DistanceCurves curves;
    if (row.shares_gram) {
      const bounds::Gram<T> gram(inputs.view);
      bounds::distance_curves<T>(inputs.weights, gram, inputs.points, curves);
    } else {
      bounds::distance_curves<T>(inputs.weights, inputs.view, inputs.points, curves);
    }
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
  });
}

std::vector<Reported> separability(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const Inputs<T> inputs(row);
    const bounds::Gram<T> gram(inputs.view);
    bounds::SeparabilityCurves curves;
    bounds::separability_curves<T>(inputs.weights, gram, inputs.points, curves);
    std::vector<Reported> list{reported("ties", 0, curves.ties, curves.ties), reported("radius", 0, curves.radius),
                               reported("closest", 0, curves.closest), reported("farthest", 0, curves.farthest)};
    const auto count = [&](const char* output, std::size_t N, const bounds::Count& counted) {
      list.push_back(reported(output, N, counted.least, counted.most));
    };
    for (std::size_t point = 0; point < curves.N.size(); ++point) {
      const std::size_t N = curves.N[point];
      list.push_back(reported("r", N, curves.r[point]));
      count("separable", N, curves.separable[point]);
      count("surely", N, curves.surely[point]);
      count("possibly", N, curves.possibly[point]);
      for (const std::size_t reading : {std::size_t{0}, std::size_t{1}}) {
        const std::string of = reading == 0 ? " distinct" : " literal";
        list.push_back(reported("printed lower" + of, N, curves.printed_lower[reading][point]));
        list.push_back(reported("printed upper" + of, N, curves.printed_upper[reading][point]));
      }
      list.push_back(reported("corrected lower", N, curves.corrected_lower[point]));
    }
    add_radii(list, row, inputs, gram);
    return list;
  });
}

}  // namespace attncert::bound_subject
