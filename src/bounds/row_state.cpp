#include "src/bounds/row_state.hpp"

#include <algorithm>
#include <cmath>

#include "src/bounds/ball.hpp"

namespace attncert::bounds {
namespace {

template <class T>
void lay_out(RowState<T>& row, std::span<const double> squared_norms) {
  Columns<T>& columns = row.columns;
  const std::size_t padded = bounds::padded(row.length);
  if (padded > row.room) {
    const std::size_t room = row.room = padded;
    row.sorted = hwy::AllocateAligned<T>(room);
    row.excess = hwy::AllocateAligned<T>(block_ranks * room);
    columns.twice = hwy::AllocateAligned<T>(room);
    columns.alpha = hwy::AllocateAligned<T>(room);
    columns.squared_norm = hwy::AllocateAligned<T>(room);
    columns.farthest = hwy::AllocateAligned<T>(room);
    columns.square = hwy::AllocateAligned<double>(room);
    columns.product = hwy::AllocateAligned<double>(room);
    columns.rank = hwy::AllocateAligned<typename Columns<T>::Rank>(room);
  }
  columns.padded = padded;
  constexpr double up =
      1 + (std::is_same_v<T, float> ? 0x1p-22 : 0x1p-30);  // above the errors of ||x|| (d < 2^20) and T
  for (std::size_t i = 0; i < padded; ++i) {
    const bool real = i < row.length;
    const double w = real ? row.w[i] : 0, n = real ? squared_norms[i] : 0;
    columns.twice[i] = static_cast<T>(-2 * w);
    columns.alpha[i] = static_cast<T>(real ? std::fabs(w) * row.norm[i] * up : 0);
    columns.squared_norm[i] = static_cast<T>(n);
    columns.farthest[i] = 0;
    columns.square[i] = w * w * n;
    columns.product[i] = 0;
    row.sorted[i] = static_cast<T>(real ? row.w[row.order.index[i]] : 0);
    columns.rank[i] = real ? static_cast<typename Columns<T>::Rank>(row.order.rank[i]) : -1;
  }
}

}  // namespace

template <class T>
void RowState<T>::prepare(std::span<const T> weights, Weights meaning, std::span<const double> squared_norms) {
  length = weights.size();
  double largest = 0;
  valid = length > 0 && length <= squared_norms.size();
  for (const T weight : weights) {
    if (!std::isfinite(weight) || (meaning == Weights::divided_by_their_sum && weight < 0)) valid = false;
    largest = std::max(largest, std::fabs(static_cast<double>(weight)));
  }
  if (meaning == Weights::divided_by_their_sum && !(largest > 0)) valid = false;
  for (std::size_t i = 0; valid && i < length; ++i) valid = std::isfinite(squared_norms[i]);  // a token is not
  if (!valid) return;
  weight_exponent = largest > 0 ? std::ilogb(largest) + 1 : 0;
  w.resize(length);
  norm.resize(length);
  for (std::size_t i = 0; i < length; ++i) {
    w[i] = std::ldexp(static_cast<double>(weights[i]), -weight_exponent);
    norm[i] = std::sqrt(squared_norms[i]);
  }
  descending(weights, order);
  for (auto* sums : {&mass, &weighted_norms, &largest_norm, &rest_mass, &rest_norms, &rest_squares, &rest_largest})
    sums->assign(length + 1, 0);
  absolute_sum = 0;
  for (std::size_t k = 0; k < length; ++k) {
    const std::size_t i = order.index[k];
    const double alpha = std::fabs(w[i]) * norm[i];
    mass[k + 1] = mass[k] + w[i];
    weighted_norms[k + 1] = weighted_norms[k] + alpha;
    largest_norm[k + 1] = std::max(largest_norm[k], norm[i]);
    absolute_sum += std::fabs(w[i]);
  }
  for (std::size_t k = length; k-- > 0;) {
    const std::size_t i = order.index[k];
    const double alpha = std::fabs(w[i]) * norm[i];
    rest_mass[k] = rest_mass[k + 1] + w[i];
    rest_norms[k] = rest_norms[k + 1] + alpha;
    rest_squares[k] = rest_squares[k + 1] + alpha * alpha;
    rest_largest[k] = std::max(rest_largest[k + 1], alpha);
  }
  sum = mass[length];
  // L - 1 additions one after the other, the product, the square root and half of the error of ||x||^2 (gram.hpp: less
  // than 1e5 u).
  relative = static_cast<double>(length + 8) * roundoff;
  lay_out(*this, squared_norms);
}

template struct RowState<float>;
template struct RowState<double>;

bool chosen_points(const Points& points, std::size_t length, std::vector<std::size_t>& N) {
  if (points.at.empty()) {
    N.resize(length + 1);
    for (std::size_t k = 0; k <= length; ++k) N[k] = k;
    return true;
  }
  N.assign(points.at.begin(), points.at.end());
  return std::is_sorted(N.begin(), N.end()) && N.back() <= length;
}

}  // namespace attncert::bounds
