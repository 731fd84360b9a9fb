#include "study/claims/closer_sides.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "src/bounds/ball.hpp"
#include "study/claims/selection_sides.hpp"

namespace attncert {
namespace {

using bounds::Certified, bounds::error_above, bounds::roundoff;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class Vectors {
 public:
  Vectors(const CapturedTokens& tokens, TokenScale scale) : tokens_(tokens), unit_(scale == TokenScale::unit) {}

  std::vector<double> operator[](std::size_t i) const {
    const float* x = tokens_.values.data() + i * tokens_.width;
    std::vector<double> vector(x, x + tokens_.width);
    const double length = unit_ ? std::sqrt(dot(vector, vector)) : 1;
    for (double& component : vector) component /= length;
    return vector;
  }

 private:
  const CapturedTokens& tokens_;
  bool unit_;
};

}  // namespace

// Roundings: L + 2 for a_i = w_i / sum w, N + 1 more for a component of s, and d for an inner product. An inner product
// with s therefore errs by at most k u ||x|| P, P = sum over I of a_j ||x_j||, k = 2 (L + N + d + 8), and so does
// whatever is computed from it. Unit tokens add T to each.
CloserSides closer_sides(std::span<const float> weights, const CapturedTokens& tokens, TokenScale scale,
                         std::size_t N) {
  const std::size_t L = weights.size(), d = tokens.width;
  std::vector<std::size_t> order(L);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double relative =
      1.001 * (2 * static_cast<double>(L + N + d + 8) * roundoff + (scale == TokenScale::unit ? unit_drift : 0));
  const Vectors vectors(tokens, scale);
  std::vector<double> s(d), rest(d);
  double P = 0, all = 0;
  for (std::size_t rank = 0; rank < N; ++rank) {
    const double a = weights[order[rank]] / total;
    const std::vector<double> x = vectors[order[rank]];
    for (std::size_t k = 0; k < d; ++k) s[k] += a * x[k];
    P += a * std::sqrt(dot(x, x));
  }
  const Certified square{dot(s, s), error_above(2 * relative * P * P)}, length = bounds::square_root(square);
  Certified sum{0, 0};
  for (std::size_t rank = N; rank < L; ++rank) {
    const double a = weights[order[rank]] / total;
    if (a == 0) continue;  // f_i = ||s||
    const std::vector<double> x = vectors[order[rank]];
    const double norm = dot(x, x), alpha = a * std::sqrt(norm);
    const Certified excess{a * (a * norm - 2 * dot(x, s)), error_above(2 * relative * alpha * (alpha + 2 * P))};
    sum = sum + excess / (bounds::square_root(square + excess) + length);
    for (std::size_t k = 0; k < d; ++k) rest[k] += a * x[k];
    all += alpha;
  }
  for (std::size_t k = 0; k < d; ++k) rest[k] -= s[k];
  return {{std::fabs(sum.value), sum.error}, {std::sqrt(dot(rest, rest)), error_above(2 * relative * (all + P))}};
}

}  // namespace attncert
