// Theorem 2: how many selected tokens a ball around the context separates, its bounds, and the radii xi and eta.
#include <algorithm>

#include "properties/conformance/bounds/curves.hpp"
#include "properties/conformance/bounds/device_rows.hpp"
#include "properties/conformance/bounds/enclosures.hpp"
#include "reference/bounds/separability.hpp"
#include "src/bounds/separability.hpp"

namespace attncert::bound_subject {
namespace {

// A distance below this share of the terms that it is made of may be 0 for all that doubles know: 2^-53 from vectors,
// its root from inner products, and 2^-12 from those rounded to f32.
constexpr double hardly = 1e-3;

std::vector<Enclosure> truth_of(const BoundRow& row, Precision precision) {
  const reference::WeightedRow tokens = weighted(row, precision);
  Enclosures truths;
  truths.count("ties", 0, tokens.ties(), tokens.ties(), 0);
  const reference::TokenSpread spread = reference::token_spread(tokens);
  const double radius = spread.radius.midpoint();
  const double root_loss = curve_limit("xi", row).absolute / curve_limit("r", row).absolute;
  truths.number("radius", 0, spread.radius);
  if (tokens.length() > 1) {
    truths.number("closest", 0, spread.closest, radius);
    truths.number("farthest", 0, spread.farthest, radius);
  }
  for (const std::size_t N : row.points) {
    const reference::SeparabilityTruth truth = reference::separability_truth(tokens, N);
    truths.extended("r", N, truth.r, truth.magnitude);
    truths.count("separable", N, truth.separable.certain, truth.separable.possible, truth.separable.near);
    truths.count("surely", N, truth.surely.certain, truth.surely.possible, truth.surely.near);
    truths.count("possibly", N, truth.possibly.certain, truth.possibly.possible, truth.possibly.near);
    if (N == 0) continue;  // what divides by N
    // What divides by r has its magnitude: a relative error of r counts as often as xi / r goes.
    const double r = truth.r.number ? truth.r.number->midpoint() : 0;
    const bool hardly_positive = r <= hardly * truth.magnitude;  // both are 0 where the nearest token and s are
    const double ratio = r > 0 ? 1 + truth.magnitude * truth.magnitude / (r * r) : 1;
    // exp errs by what its exponent does, whose terms are squares of distances over 16 M^2.
    const double terms = radius > 0 ? truth.magnitude / (4 * radius) : 0, exponent = 1 + terms * terms;
    // An xi near 0 is a square root that loses half of its digits. The mean over N of them therefore gets a wider
    // tolerance: one such xi moves it by its error over r N, or over 4 M N (abs(d exp(-t^2 / 16 M^2) / dt) <= 0.22 /
    // M). At N = 1 nothing is summed, and nothing is lost.
    const auto lost = [&](std::size_t which) {
      const auto& xi = truth.xi[which];
      const auto nearly_nothing = [&](const Interval& x) { return x.midpoint() <= hardly * truth.magnitude; };
      const auto few = N == 1 ? 0 : std::count_if(xi.begin(), xi.end(), nearly_nothing);
      return static_cast<double>(few) / static_cast<double>(N) * root_loss;
    };
    const double over_r = r > 0 ? truth.magnitude / r : 0;
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
      const std::string reading = which == 0 ? " distinct" : " literal";
      truths.extended("printed lower" + reading, N, truth.printed_lower[which], ratio + lost(which) * over_r,
                      hardly_positive);
      truths.extended("printed upper" + reading, N, truth.printed_upper[which], exponent + lost(which) * terms);
    }
    truths.extended("corrected lower", N, truth.corrected_lower, ratio + lost(0) * over_r);
  }
  const std::size_t N = radii_point(row);
  const reference::SeparabilityTruth middle = reference::separability_truth(tokens, N);
  for (std::size_t k = 0; k < N; ++k) {
    const std::string of = " of " + std::to_string(k);
    truths.number("xi distinct" + of, 0, middle.xi[0][k], middle.magnitude);
    truths.number("xi literal" + of, 0, middle.xi[1][k], middle.magnitude);
    truths.number("eta" + of, 0, middle.eta[k], middle.magnitude);
    truths.count("token" + of, 0, tokens.order()[k], tokens.order()[k], 0);
  }
  return std::move(truths).list();
}

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

std::vector<Reported> reported_of(const bounds::SeparabilityCurves& curves) {
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
  return list;
}

std::vector<Reported> reported_by_kernel(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const Inputs<T> inputs(row);
    const bounds::Gram<T> gram(inputs.view);
    bounds::SeparabilityCurves curves;
    bounds::separability_curves<T>(inputs.weights, gram, inputs.points, curves);
    std::vector<Reported> list = reported_of(curves);
    add_radii(list, row, inputs, gram);
    return list;
  });
}

// The radii themselves are the processor's.
std::vector<Reported> reported_by_device(const BoundRow& row) {
  std::vector<Reported> list;
  curves_on_device(row, [&](const auto&, const auto& separability) { list = reported_of(separability); });
  const Inputs<double> inputs(row);
  add_radii(list, row, inputs, bounds::Gram<double>(inputs.view));
  return list;
}

}  // namespace

extern const BoundSubject separability_bound{.name = "separability",
                                             .text = "Theorem 2's quantities for every N",
                                             .place = 1,
                                             .row = weighted_tokens_row,
                                             .truth = truth_of,
                                             .limit = curve_limit,
                                             .kernel = reported_by_kernel,
                                             .on_device = reported_by_device};

}  // namespace attncert::bound_subject
