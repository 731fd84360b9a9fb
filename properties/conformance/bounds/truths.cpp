// The truth of every subject: reference/bounds in the names of the outputs.
#include <algorithm>
#include <cmath>

#include "properties/conformance/bounds/subjects.hpp"
#include "properties/conformance/subjects.hpp"
#include "reference/bounds/distance.hpp"
#include "reference/bounds/finite_difference.hpp"
#include "reference/bounds/head_statistics.hpp"
#include "reference/bounds/operator_norm.hpp"
#include "reference/bounds/separability.hpp"
#include "reference/bounds/softmax_norms.hpp"

namespace attncert::bound_subject {
namespace {

using Kind = Enclosure::Kind;

// A distance below this share of the terms that it is made of may be 0 for all that doubles know: 2^-53 from vectors,
// its root from inner products, and 2^-12 from those rounded to f32.
constexpr double hardly = 1e-3;

class Enclosures {
 public:
  void number(std::string output, std::size_t point, Interval value, double magnitude = 0) {
    list_.push_back({std::move(output), point, Kind::number, std::move(value), magnitude, 0, 0, 0, false});
  }
  void count(std::string output, std::size_t point, std::size_t certain, std::size_t possible, std::size_t near) {
    list_.push_back({std::move(output), point, Kind::count, {}, 0, certain, possible, near, false});
  }
  void extended(std::string output, std::size_t point, const reference::Extended& value, double magnitude,
                bool may_be_unknown = false) {
    Kind kind = Kind::open;
    switch (value.kind) {
      case reference::Extended::Kind::number:
        kind = Kind::number;
        break;
      case reference::Extended::Kind::plus_infinity:
        kind = Kind::plus_infinity;
        break;
      case reference::Extended::Kind::minus_infinity:
        kind = Kind::minus_infinity;
        break;
      case reference::Extended::Kind::open:
        break;
    }
    list_.push_back({std::move(output), point, kind, value.number, magnitude, 0, 0, 0, may_be_unknown});
  }
  std::vector<Enclosure> list() && { return std::move(list_); }

 private:
  std::vector<Enclosure> list_;
};

reference::WeightedRow weighted(const BoundRow& row, Precision precision) {
  return {{row.weights, row.tokens, row.dimension, row.divided}, precision};
}

std::vector<Rational> meant(const BoundRow& row) {
  if (!row.meant.empty()) return row.meant;
  std::vector<Rational> weights;
  for (const double weight : row.weights) weights.push_back(exact(weight));
  return weights;
}

}  // namespace

std::size_t radii_point(const BoundRow& row) { return (row.weights.size() + 1) / 2; }

std::vector<Enclosure> distance_truth(const BoundRow& row, Precision precision) {
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

std::vector<Enclosure> separability_truth(const BoundRow& row, Precision precision) {
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

std::vector<Enclosure> jacobian_truth(const BoundRow& row, Precision precision) {
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

std::vector<Enclosure> operator_truth(const BoundRow& row, Precision precision) {
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

std::vector<Enclosure> head_truth(const BoundRow& row, Precision precision) {
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

std::vector<Enclosure> quotient_truth(const BoundRow& row, Precision precision) {
  Enclosures truths;
  truths.number("quotient", 0,
                reference::difference_quotient(row.logits, row.direction, row.eps, row.temperature, precision),
                1 / row.temperature);
  return std::move(truths).list();
}

}  // namespace attncert::bound_subject
