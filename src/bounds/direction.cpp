// The directions of finite_difference.hpp. Eigenvector of diag(p) - p p^T for the largest eigenvalue:
// x_i = p_i / (p_i - lambda), sum p_i / (p_i - lambda) = 0 with lambda between p_2 and p_1 (Golub 1973). They are
// directions only: no error is stated.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/bounds/finite_difference.hpp"
#include "src/bounds/softmax_row.hpp"

namespace attncert::bounds {
namespace {

// The two largest, lowest indices on ties. At least two entries.
std::pair<std::size_t, std::size_t> top_two(std::span<const double> values) {
  std::size_t first = 0, second = 1;
  if (values[1] > values[0]) std::swap(first, second);
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (values[i] > values[first]) second = std::exchange(first, i);
    else if (values[i] > values[second]) second = i;
  }
  return {first, second};
}

// s = lambda - p_2: the root of sum over i != first of p_i / (s + p_2 - p_i) = p_1 / (gap - s), decreasing in s on the
// left and increasing on the right. Each step replaces the left side by a + b / s of the same value and slope and
// solves exactly; the bracket (or the geometric mean of its ends) takes over where that leaves it.
double secular_root(const std::vector<double>& p, std::size_t first, std::size_t second) {
  const double gap = p[first] - p[second];
  double low = 0, high = gap, s = gap / 2;
  for (int step = 0; step < 100; ++step) {
    double left = 0, slope = 0;  // slope: -s d/ds
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (i == first) continue;
      const double distance = s + (p[second] - p[i]);
      left += p[i] / distance;
      slope += p[i] / distance * (s / distance);
    }
    (left > p[first] / (gap - s) ? low : high) = s;
    const double a = left - slope, b = slope * s;
    const double linear = b + p[first] - a * gap;
    const double root = std::sqrt(linear * linear + 4 * a * b * gap);
    double next = linear > 0 ? 2 * b * gap / (linear + root) : (root - linear) / (2 * a);
    if (!(next > low && next < high)) next = low > 0 ? std::sqrt(low) * std::sqrt(high) : high / 1024;
    constexpr double enough = 1e-14;
    const bool settled = std::abs(next - s) <= enough * s || !(next > low && next < high);
    s = next;
    if (settled) break;
  }
  return s;
}

}  // namespace

std::vector<double> top_two_direction(std::span<const double> logits) {
  std::vector<double> direction(logits.size(), 0);
  if (logits.size() == 1) direction[0] = 1;
  if (logits.size() < 2) return direction;
  const auto [first, second] = top_two(logits);
  direction[first] = 1;
  direction[second] = -1;
  return direction;
}

std::vector<double> top_eigenvector(std::span<const double> logits, double temperature) {
  std::vector<double> fallback = top_two_direction(logits), p;
  if (logits.size() < 2 || !std::isfinite(softmax_row(logits, temperature, p))) return fallback;
  const auto [first, second] = top_two(p);
  // Tied: lambda = p_1, and (1, -1) on the tied pair is an eigenvector. One-hot in doubles: the limit as p_2 -> 0.
  if (p[first] == p[second] || p[second] == 0) return fallback;
  const double s = secular_root(p, first, second), gap = p[first] - p[second];
  std::vector<double> vector(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    vector[i] = i == first ? p[i] / (gap - s) : -p[i] / (s + (p[second] - p[i]));
    largest = std::max(largest, std::abs(vector[i]));
  }
  return std::isfinite(largest) && largest > 0 ? vector : fallback;
}

}  // namespace attncert::bounds
