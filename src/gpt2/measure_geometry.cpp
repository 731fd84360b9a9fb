// Figure 1's picture of a row: exact distances to s, and an angle from the two directions along which the points a_i x_i - s differ most
// (the leading eigenvectors of their second moments, by power iteration from fixed starts: an angle to look at, not to prove with).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/gpt2/measures.hpp"

namespace attncert {
namespace {

using Vector = std::vector<double>;

double product(const double* x, const double* y, std::size_t width) { return std::inner_product(x, x + width, y, 0.0); }

// One step of power iteration on sum of y y^T, orthogonal to `other`; normalised. A direction that vanishes is left as it is.
void iterate(const Vector& points, std::size_t width, const Vector* other, Vector& direction) {
  Vector next(width, 0.0);
  for (std::size_t i = 0; i < points.size() / width; ++i) {
    const double* y = points.data() + i * width;
    const double along = product(y, direction.data(), width);
    for (std::size_t k = 0; k < width; ++k) next[k] += along * y[k];
  }
  if (other != nullptr) {
    const double along = product(next.data(), other->data(), width);
    for (std::size_t k = 0; k < width; ++k) next[k] -= along * (*other)[k];
  }
  const double norm = std::sqrt(product(next.data(), next.data(), width));
  if (!(norm > 0)) return;
  for (std::size_t k = 0; k < width; ++k) direction[k] = next[k] / norm;
}

Vector leading_direction(const Vector& points, std::size_t width, const Vector* other) {
  constexpr int steps = 20;
  Vector direction(width);
  for (std::size_t k = 0; k < width; ++k) direction[k] = k % 2 == 0 ? 1.0 : other == nullptr ? 0.5 : -1.0;
  for (int step = 0; step < steps; ++step) iterate(points, width, other, direction);
  return direction;
}

}  // namespace

void measure_geometry(const CapturedRow& row, const TokenVectors& tokens, std::vector<GeometryLine>& lines) {
  constexpr std::size_t top = 5;
  const std::size_t L = row.weights.size(), width = tokens.width, N = std::min(top, L);
  std::vector<std::size_t> order(L);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return row.weights[i] > row.weights[j]; });
  const double total = std::accumulate(row.weights.begin(), row.weights.end(), 0.0);
  const auto weight = [&](std::size_t i) { return static_cast<double>(row.weights[i]) / total; };
  Vector points(L * width), s(width, 0.0);
  for (std::size_t k = 0; k < N; ++k)
    for (std::size_t c = 0; c < width; ++c) s[c] += weight(order[k]) * tokens.unit[order[k] * width + c];
  for (std::size_t i = 0; i < L; ++i)
    for (std::size_t c = 0; c < width; ++c) points[i * width + c] = weight(i) * tokens.unit[i * width + c] - s[c];
  const Vector first = leading_direction(points, width, nullptr), second = leading_direction(points, width, &first);
  for (std::size_t i = 0; i < L; ++i) {
    const double* y = points.data() + i * width;
    GeometryLine line;
    line.row = key(row);
    line.token = i;
    line.selected = std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(N), i) !=
                            order.begin() + static_cast<std::ptrdiff_t>(N)
                        ? 1
                        : 0;
    line.weight = weight(i);
    line.distance = std::sqrt(product(y, y, width));
    line.angle = std::atan2(product(y, second.data(), width), product(y, first.data(), width));
    lines.push_back(line);
  }
}

}  // namespace attncert
