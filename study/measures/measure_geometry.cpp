// Figure 1's picture of a row: exact distances to s, and an angle from the two directions along which the points a_i
// x_i - s of the 64 largest weights lie (the leading eigenvectors of their second moments, by power iteration from
// fixed starts: an angle to look at, not to prove with; the other points lie near -s).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/bounds/order.hpp"
#include "src/gpt2/products.hpp"
#include "study/measures/measures.hpp"

namespace attncert {
namespace {

using Vector = std::vector<double>;

double product(const double* x, const double* y, std::size_t width) { return std::inner_product(x, x + width, y, 0.0); }

// One step of power iteration on sum of y y^T, orthogonal to `other`; normalised. A direction that vanishes is left as
// it is.
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
  constexpr int steps = 8;
  Vector direction(width);
  for (std::size_t k = 0; k < width; ++k) direction[k] = k % 2 == 0 ? 1.0 : other == nullptr ? 0.5 : -1.0;
  for (int step = 0; step < steps; ++step) iterate(points, width, other, direction);
  return direction;
}

// s, then the two directions: 3 x width.
Vector frame_of(const TokenVectors& tokens, const Vector& a, std::span<const std::uint32_t> selected,
                std::span<const std::uint32_t> heavy) {
  const std::size_t width = tokens.width;
  Vector frame(width, 0.0), points;
  for (const std::size_t i : selected)
    for (std::size_t c = 0; c < width; ++c) frame[c] += a[i] * tokens.unit[i * width + c];
  for (const std::size_t i : heavy)
    for (std::size_t c = 0; c < width; ++c) points.push_back(a[i] * tokens.unit[i * width + c] - frame[c]);
  const Vector first = leading_direction(points, width, nullptr), second = leading_direction(points, width, &first);
  frame.insert(frame.end(), first.begin(), first.end());
  frame.insert(frame.end(), second.begin(), second.end());
  return frame;
}

// ||a x - s||, from the vectors: where a x is near s its square would lose its digits.
double distance(const double* x, double a, const Vector& frame, std::size_t width) {
  double squares = 0;
  for (std::size_t c = 0; c < width; ++c) squares += (a * x[c] - frame[c]) * (a * x[c] - frame[c]);
  return std::sqrt(squares);
}

}  // namespace

void measure_geometry(const CapturedRow& row, const TokenVectors& tokens, std::vector<GeometryLine>& lines) {
  constexpr std::size_t top = 5, heaviest = 64;
  const std::size_t L = row.weights.size(), width = tokens.width;
  bounds::Order order;
  bounds::descending<float>(row.weights, order);
  const std::span<const std::uint32_t> ranked(order.index), selected = ranked.first(std::min(top, L)),
                                                            heavy = ranked.first(std::min(heaviest, L));
  const double total = std::accumulate(row.weights.begin(), row.weights.end(), 0.0);
  Vector a(row.weights.begin(), row.weights.end());
  for (double& weight : a) weight /= total;
  const Vector frame = frame_of(tokens, a, selected, heavy);
  Vector products(3 * L), along(9);  // x . s, x . first, x . second; the same of s and the directions
  multiply_transposed({tokens.unit.data(), L, width, width}, {frame.data(), 3, width, width},
                      MatrixView<double>{products.data(), L, 3, 3});
  multiply_transposed({frame.data(), 3, width, width}, {frame.data(), 3, width, width},
                      MatrixView<double>{along.data(), 3, 3, 3});
  const std::size_t begin = lines.size();
  for (std::size_t i = 0; i < L; ++i) {
    const double* product = products.data() + 3 * i;
    const double* x = tokens.unit.data() + i * width;
    const bool zero = std::all_of(x, x + width, [](double value) { return value == 0; });
    const double squared = zero ? 0 : tokens.radius * tokens.radius;
    GeometryLine line;
    line.row = key(row);
    line.token = i;
    line.weight = a[i];
    line.distance = std::sqrt(std::max(0.0, along[0] - 2 * a[i] * product[0] + a[i] * a[i] * squared));
    line.angle = std::atan2(a[i] * product[2] - along[2], a[i] * product[1] - along[1]);
    lines.push_back(line);
  }
  for (const std::size_t i : heavy)
    lines[begin + i].distance = distance(tokens.unit.data() + i * width, a[i], frame, width);
  for (const std::size_t i : selected) lines[begin + i].selected = 1;
}

}  // namespace attncert
