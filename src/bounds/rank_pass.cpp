#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bounds/rank_pass.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/bounds/excess-inl.h"
#include "src/bounds/rank_pass.hpp"
#include "src/bounds/root-inl.h"
#include "src/kernel/dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A tile of columns at a time, so that what one half writes stays in the first-level cache until the other reads it.
constexpr std::size_t tile_columns = 256;

// c and `farthest` past the block; e and farthest after every rank, row b of the tile at b * tile_columns.
template <class T>
HWY_INLINE void advance_tile(const Block<T>& block, Columns<T>& columns, std::size_t begin, std::size_t end,
                             T* HWY_RESTRICT excess, T* HWY_RESTRICT reach) {
  const hn::ScalableTag<T> d;
  const auto minus_two = hn::Set(d, T{-2});
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const auto twice = hn::Load(d, columns.twice.get() + i);
    const auto norms = hn::Load(d, columns.squared_norm.get() + i);
    auto farthest = hn::Load(d, columns.farthest.get() + i);
    const auto first = rounded_excess(d, columns, i, twice);
    auto change = hn::Zero(d);
#pragma GCC unroll 8
    for (std::size_t b = 0; b < block_ranks; ++b) {
      const auto products = hn::Load(d, block.rows[b] + i);
      change = hn::MulAdd(hn::Set(d, block.weights[b]), products, change);
      farthest = hn::Max(farthest, hn::Add(hn::MulAdd(minus_two, products, norms), hn::Set(d, block.squared_norms[b])));
      hn::Store(hn::MulAdd(twice, change, first), d, excess + b * tile_columns + (i - begin));
      hn::Store(farthest, d, reach + b * tile_columns + (i - begin));
    }
    add_change(d, columns, i, change);
    hn::Store(farthest, d, columns.farthest.get() + i);
  }
}

// What the tiles of a row have added up to.
template <class T>
struct Sums {
  HWY_ALIGN double roots[HWY_MAX_BYTES / sizeof(double)] = {};
  HWY_ALIGN T inverses[HWY_MAX_BYTES / sizeof(T)] = {};
  HWY_ALIGN T reach[HWY_MAX_BYTES / sizeof(T)] = {};
};

// Four vectors of roots are summed in T, the rest in f64.
template <class T>
HWY_INLINE void sum_tile(const T* HWY_RESTRICT excess, const T* HWY_RESTRICT reach, const Columns<T>& columns,
                         std::size_t begin, std::size_t end, const RestSums<T>& asked, Sums<T>& sums) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<double> d64;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto squared = hn::Set(d, asked.S), floor = hn::Set(d, asked.least);
  const auto last_selected = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(asked.N) - 1);
  auto total = hn::Load(d64, sums.roots);
  auto inverses = hn::Load(d, sums.inverses), largest = hn::Load(d, sums.reach);
  for (std::size_t group = begin; group < end; group += 4 * lanes) {
    auto sum = hn::Zero(d);
    const std::size_t group_end = HWY_MIN(group + 4 * lanes, end);
    for (std::size_t i = group; i < group_end; i += lanes) {
      if (asked.next != nullptr) hwy::Prefetch(asked.next + i);
      const auto rest = hn::RebindMask(d, hn::Gt(hn::Load(di, columns.rank.get() + i), last_selected));
      const auto x = hn::Max(hn::Add(hn::Load(d, excess + (i - begin)), squared), floor);
      auto inverse = floor;
      const auto f = root(d, x, inverse);
      sum = hn::Add(sum, hn::IfThenElseZero(rest, f));
      inverses = hn::Add(inverses, hn::IfThenElseZero(rest, inverse));
      largest = hn::Max(largest, hn::IfThenElseZero(rest, hn::Load(d, reach + (i - begin))));
    }
    total = hn::Add(total, widened(d, sum));
  }
  hn::Store(total, d64, sums.roots);
  hn::Store(inverses, d, sums.inverses);
  hn::Store(largest, d, sums.reach);
}

template <class T>
void advance_and_sum(const Block<T>& block, Columns<T>& columns, std::array<RestSums<T>, block_ranks>& after) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<double> d64;
  HWY_ALIGN T excess[block_ranks * tile_columns];
  HWY_ALIGN T reach[block_ranks * tile_columns];
  Sums<T> sums[block_ranks];
  for (std::size_t begin = 0; begin < columns.padded; begin += tile_columns) {
    const std::size_t end = HWY_MIN(begin + tile_columns, columns.padded);
    advance_tile(block, columns, begin, end, excess, reach);
    for (std::size_t b = 0; b < block_ranks; ++b)
      if (after[b].wanted)
        sum_tile(excess + b * tile_columns, reach + b * tile_columns, columns, begin, end, after[b], sums[b]);
  }
  for (std::size_t b = 0; b < block_ranks; ++b) {
    after[b].roots = hn::GetLane(hn::SumOfLanes(d64, hn::Load(d64, sums[b].roots)));
    // L additions at most in T, each reciprocal within 2^-13.
    const double inverses = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums[b].inverses))));
    after[b].inverses = (1 + 0x1p-12 + static_cast<double>(columns.padded) * 0x1p-23) * inverses;
    after[b].reach = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, hn::Load(d, sums[b].reach))));
  }
}
ATTNCERT_FORMS(advance_and_sum)

template <bool wanted, class T>
HWY_INLINE void advance_storing(const Block<T>& block, Columns<T>& columns, T* HWY_RESTRICT excess) {
  const hn::ScalableTag<T> d;
  const std::size_t padded = columns.padded;
  for (std::size_t i = 0; i < padded; i += hn::Lanes(d)) {
    const auto twice = hn::Load(d, columns.twice.get() + i);
    const auto first = rounded_excess(d, columns, i, twice);
    auto change = hn::Zero(d);
#pragma GCC unroll 8
    for (std::size_t b = 0; b < block_ranks; ++b) {
      change = hn::MulAdd(hn::Set(d, block.weights[b]), hn::Load(d, block.rows[b] + i), change);
      if constexpr (wanted) hn::Store(hn::MulAdd(twice, change, first), d, excess + b * padded + i);
    }
    add_change(d, columns, i, change);
  }
}
template <class T>
void advance_excess(const Block<T>& block, Columns<T>& columns, T* excess) {
  excess == nullptr ? advance_storing<false>(block, columns, excess) : advance_storing<true>(block, columns, excess);
}
ATTNCERT_FORMS(advance_excess)

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::bounds {
namespace {

ATTNCERT_DISPATCH(advance_and_sum)
ATTNCERT_DISPATCH(advance_excess)

}  // namespace

template <class T>
void advance(const Block<T>& block, Columns<T>& columns, std::array<RestSums<T>, block_ranks>& after) {
  dispatch_advance_and_sum<T>(block, columns, after);
}
template <class T>
void advance(const Block<T>& block, Columns<T>& columns, T* excess) {
  dispatch_advance_excess<T>(block, columns, excess);
}

template void advance(const Block<float>&, Columns<float>&, std::array<RestSums<float>, block_ranks>&);
template void advance(const Block<double>&, Columns<double>&, std::array<RestSums<double>, block_ranks>&);
template void advance(const Block<float>&, Columns<float>&, float*);
template void advance(const Block<double>&, Columns<double>&, double*);

}  // namespace attncert::bounds
#endif  // HWY_ONCE
