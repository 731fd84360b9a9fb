// A row's pass over all ranks with the scalars that go with it: S = ||s||^2 after every rank, in f64.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "src/bounds/context.hpp"
#include "src/bounds/gram_rows.hpp"
#include "src/bounds/rank_pass.hpp"
#include "src/bounds/row_state.hpp"

namespace attncert::bounds {

// A block on its way: ranks [first, first + count), ||s||^2 after each, and the rows that the pass reads next (null:
// none).
template <class T>
struct Step {
  Block<T> block;
  std::size_t first, count;
  std::array<Certified, block_ranks> S;
  std::array<const T*, block_ranks> next;
};

template <class T>
Step<T> step_at(const RowState<T>& row, GramRows<T>& source, std::size_t first, Context<T>& context) {
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
    step.block.tokens[b] = order[first + b];
    double product = row.columns.product[token];
    for (std::size_t earlier = 0; earlier < b; ++earlier)
      product += row.w[order[first + earlier]] * static_cast<double>(step.block.rows[b][order[first + earlier]]);
    step.S[b] = context.add(first + b, product);
    step.block.weights[b] = static_cast<T>(row.w[token]);
    step.block.squared_norms[b] = static_cast<T>(source.squared_norms[token]);
    const std::size_t ahead = first + block_ranks + b;
    step.next[b] = ahead < row.length ? source.fetched(order[ahead]) : nullptr;
  }
  return step;
}

// Calls take(step, begin, end) for every block, [begin, end) the points of the ascending list with N in (first,
// first + count]; `take` is to advance row.columns past the block. Behind the last rank row.columns.product holds x_i .
// xbar. Returns ||xbar||^2.
template <class T, class Take>
Certified walk_ranks(RowState<T>& row, GramRows<T>& source, Context<T>& context, std::span<const std::size_t> points,
                     Take take) {
  std::size_t point = 0;
  while (point < points.size() && points[point] == 0) ++point;
  for (std::size_t first = 0; first < row.length; first += block_ranks) {
    context.refresh(first);
    const Step<T> step = step_at(row, source, first, context);
    std::size_t end = point;
    while (end < points.size() && points[end] <= first + step.count) ++end;
    take(step, point, end);
    point = end;
  }
  return context.squared();
}

}  // namespace attncert::bounds
