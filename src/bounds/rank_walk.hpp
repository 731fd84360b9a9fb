// A row's pass over all ranks with the scalars that go with it: S = ||s||^2 after every rank, in f64.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "src/bounds/gram_rows.hpp"
#include "src/bounds/inner_products.hpp"
#include "src/bounds/rank_pass.hpp"
#include "src/bounds/row_state.hpp"

namespace attncert::bounds {

// The proved error of what a pass gives after N ranks (docs/bounds.md, "The pass"): with P = sum over I of |a_j| ||x_j||,
//   |S - exact| <= context P^2 + floor,   |e_i - exact| <= excess (alpha_i^2 + 2 alpha_i P) + floor,   alpha_i = |a_i| ||x_i||.
struct PassError {
  double context = 0, excess = 0, floor = 0;
};
template <class T>
PassError pass_error(const GramRows<T>& source, std::size_t N) {
  constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53, u64 = 0x1p-53;
  const auto n = static_cast<double>(N);
  // c: the entries' own error; within a block 8 products and 8 sums in T (one rounding each where multiply-add is fused); blocks in f64.
  const double product = source.error + 1.001 * 9 * u + n * u64;
  const double norms = sum_error(source.tokens.dimension);
  PassError error;
  error.context = product + norms + (4 * n + 16) * u64;
  // e: its first value rounded to T (in f64: five roundings), then a product and a sum.
  error.excess = product + norms + 1.001 * (sizeof(T) == 4 ? 3 : 8) * u;
  // A normal number of T, since arithmetic on others is slow.
  error.floor = std::max((n + 2) * (n + 2) * 32 * source.floor, sizeof(T) == 4 ? 0x1p-120 : 0x1p-1000);
  return error;
}

// A block on its way: ranks [first, first + count), ||s||^2 after each, and the rows that the pass reads next (null: none).
template <class T>
struct Step {
  Block<T> block;
  std::size_t first, count;
  std::array<double, block_ranks> S;
  std::array<const T*, block_ranks> next;
};

template <class T>
Step<T> step_at(const RowState<T>& row, GramRows<T>& source, std::size_t first, double S) {
  const std::vector<std::uint32_t>& order = row.order.index;
  Step<T> step{};
  step.first = first;
  step.count = std::min(block_ranks, row.length - first);
  source.rows(order, first, step.count, step.block.rows.data());
  for (std::size_t b = 0; b < block_ranks; ++b) {
    if (b >= step.count) {
      step.block.rows[b] = step.block.rows[0];
      step.block.squared_norms[b] = step.block.squared_norms[0];
      continue;
    }
    const std::size_t token = order[first + b];
    const double w = row.w[token];
    double product = row.columns.product[token];
    for (std::size_t earlier = 0; earlier < b; ++earlier)
      product += row.w[order[first + earlier]] * static_cast<double>(step.block.rows[b][order[first + earlier]]);
    S += w * (2 * product + w * source.squared_norms[token]);
    step.S[b] = S;
    step.block.weights[b] = static_cast<T>(w);
    step.block.squared_norms[b] = static_cast<T>(source.squared_norms[token]);
    const std::size_t ahead = first + block_ranks + b;
    step.next[b] = ahead < row.length ? source.fetched(order[ahead]) : nullptr;
  }
  return step;
}

// Calls take(step, begin, end) for every block, [begin, end) the points of the ascending list with N in (first, first + count]; `take` is
// to advance row.columns past the block. Behind the last rank row.columns.product holds x_i . xbar. Returns ||xbar||^2.
template <class T, class Take>
double walk_ranks(RowState<T>& row, GramRows<T>& source, std::span<const std::size_t> points, Take take) {
  double S = 0;
  std::size_t point = 0;
  while (point < points.size() && points[point] == 0) ++point;
  for (std::size_t first = 0; first < row.length; first += block_ranks) {
    const Step<T> step = step_at(row, source, first, S);
    S = step.S[step.count - 1];
    std::size_t end = point;
    while (end < points.size() && points[end] <= first + step.count) ++end;
    take(step, point, end);
    point = end;
  }
  return S;
}

}  // namespace attncert::bounds
