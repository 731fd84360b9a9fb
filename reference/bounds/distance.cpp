#include "reference/bounds/distance.hpp"

#include <algorithm>
#include <cmath>

#include "reference/bounds/selection.hpp"

namespace attncert::reference {
namespace {

Interval whole(std::size_t n, Precision precision) {
  return Interval(Rational(static_cast<unsigned long>(n)), precision);
}

// ((L-N)/L) [(N+1) A + N (N-3)/(L-1) (B - A)], A = sum w_i^2 ||x_i||^2, B = ||xbar||^2; at L = 1 there is one set, and
// B = A.
Interval second_moment(const WeightedRow& row, std::size_t N, std::span<const Interval> mean) {
  const Precision precision = row.precision();
  const std::size_t length = row.length();
  Interval A(0.0, precision);
  for (std::size_t i = 0; i < length; ++i) A += square(row.weights()[i]) * sum_of_squares(row.token(i), precision);
  const Interval B = sum_of_squares(mean, precision);
  const long n = static_cast<long>(N);
  Interval bracket = whole(N + 1, precision) * A;
  if (length > 1) bracket += Interval(ratio(n * (n - 3), length - 1), precision) * (B - A);
  return Interval(ratio(static_cast<long>(length - N), length), precision) * bracket;
}

// ((L-N)/L) sum_i ||(w_i + W N/(L-1)) x_i - xbar||^2.
Interval printed_expectation(const WeightedRow& row, std::size_t N, std::span<const Interval> mean) {
  const Precision precision = row.precision();
  const Interval share = row.total() * Interval(ratio(static_cast<long>(N), row.length() - 1), precision);
  Interval sum(0.0, precision);
  for (std::size_t i = 0; i < row.length(); ++i)
    sum += squared_distance_scaled(row.weights()[i] + share, row.token(i), mean, precision);
  return Interval(ratio(static_cast<long>(row.length() - N), row.length()), precision) * sum;
}

void add_magnitudes(DistanceTruth& truth, const WeightedRow& row, std::size_t N) {
  const double total = row.total().midpoint(), outside = static_cast<double>(row.length() - N);
  const auto weight = [&](std::size_t i) { return std::abs(row.weights()[i].midpoint()) / total; };
  double mass = 0, squares = 0, expected = 0, mean = 0, largest = 0;
  for (std::size_t i = 0; i < row.length(); ++i) {
    const double norm = row.norms()[i].midpoint();
    mass += weight(i);
    mean += weight(i) * norm;
    squares += weight(i) * norm * weight(i) * norm;
    largest = std::max(largest, norm);
  }
  const double share = row.length() > 1 ? static_cast<double>(N) / static_cast<double>(row.length() - 1) : 0;
  for (std::size_t i = 0; i < row.length(); ++i) {
    const double term = (weight(i) + share) * row.norms()[i].midpoint() + mean;
    expected += term * term;
  }
  const double reach = 2 * (1 + mass) * largest, factor = mass * outside + 1 + mass, n = static_cast<double>(N);
  truth.weight_magnitude = mass;
  truth.mean_magnitude = mean;
  truth.largest_norm = largest;
  truth.distance_magnitude = (1 + outside) * mean;
  truth.printed_magnitude = reach + largest * largest * factor;
  truth.corrected_magnitude = reach + largest * factor;
  truth.moment_magnitude = (n + 1) * squares + n * (n + 3) * (mean * mean + squares);
  truth.expectation_magnitude = expected;
}

}  // namespace

DistanceTruth distance_truth(const WeightedRow& row, std::size_t N) {
  const Precision precision = row.precision();
  const std::vector<bool> selected = row.selected(N);
  const Selection parts = selection(row.tokens(), row.dimension(), row.weights(), selected, precision);
  const Interval& total = row.total();
  std::vector<Interval> mean;
  for (std::size_t k = 0; k < row.dimension(); ++k) mean.push_back(parts.s[k] + parts.rest[k]);

  // 1 - A without cancellation: (W - sum over I) / W. Where weights are as given W stands for the 1 of the formula.
  Interval mass(0.0, precision), unselected(0.0, precision);
  Rational inside = 0, all = 0;
  for (std::size_t i = 0; i < row.length(); ++i) {
    all += row.exact_weights()[i];
    if (selected[i]) inside += row.exact_weights()[i];
    else unselected += abs(row.weights()[i]) * row.norms()[i];
  }
  mass = Interval(inside, precision);
  const Interval outside = total.contains(all) ? Interval(Rational(all - inside), precision) : total - mass;
  const Interval diameter = sqrt(row.across(N)), count = whole(row.length() - N, precision);
  const Interval bracket = mass * count - outside, m = parts.largest_selected;

  DistanceTruth truth{parts.distance / total,
                      parts.norm_s / total,
                      mass / total,
                      unselected / total,
                      diameter,
                      m,
                      (outside * diameter + square(m) * bracket) / total,
                      (outside * diameter + m * bracket) / total,
                      second_moment(row, N, mean) / square(total),
                      {}};
  if (row.length() > 1) truth.printed_expectation = printed_expectation(row, N, mean) / square(total);
  add_magnitudes(truth, row, N);
  return truth;
}

}  // namespace attncert::reference
