#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bounds/series_pass.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <limits>

#include "src/bounds/excess-inl.h"
#include "src/bounds/series_pass.hpp"
#include "src/kernel/dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// g to its fifth power.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V series(D d, V x) {
  using T = hn::TFromD<D>;
  auto sum = hn::MulAdd(x, hn::Set(d, T{7} / 256), hn::Set(d, T{-5} / 128));
  sum = hn::MulAdd(x, sum, hn::Set(d, T{1} / 16));
  sum = hn::MulAdd(x, sum, hn::Set(d, T{-1} / 8));
  return hn::MulAdd(x, sum, hn::Set(d, T{1} / 2));  // times x: g
}

constexpr std::size_t together = 128;  // vectors that are summed in T

// `reach[b]`: max over the tokens behind the block of ||x_i||^2 - 2 x_i . x_b; `before`: of farthest as the block finds
// it.
template <class T>
void advance(const Block<T>& block, Columns<T>& columns, std::size_t first, const SeriesSums<T>& asked,
             double* series_sum, T* reach, T* before) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Rank = hn::TFromD<decltype(di)>;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const auto lowest = hn::Set(d, std::numeric_limits<T>::lowest()), minus_two = hn::Set(d, T{-2});
  const auto last = hn::Set(di, static_cast<Rank>(first + block_ranks - 1));
  V f0 = lowest, f1 = f0, f2 = f0, f3 = f0, f4 = f0, f5 = f0, f6 = f0, f7 = f0, found = lowest;
  for (std::size_t begin = 0; begin < columns.padded; begin += together * lanes) {
    const std::size_t end = HWY_MIN(begin + together * lanes, columns.padded);
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (std::size_t i = begin; i < end; i += lanes) {
      const auto twice = hn::Load(d, columns.twice.get() + i), norms = hn::Load(d, columns.squared_norm.get() + i);
      const auto rank = hn::Load(di, columns.rank.get() + i);
      const auto behind = hn::RebindMask(d, hn::Gt(rank, last));
      auto farthest = hn::Load(d, columns.farthest.get() + i);
      found = hn::IfThenElse(behind, hn::Max(found, farthest), found);
      const auto start = rounded_excess(d, columns, i, twice);
      auto change = hn::Zero(d);
      const auto take = [&](std::size_t b, V & sum, V & far) HWY_ATTR __attribute__((always_inline)) {
        if (asked.next[b] != nullptr) hwy::Prefetch(asked.next[b] + i);
        const auto products = hn::Load(d, block.rows[b] + i);
        change = hn::MulAdd(hn::Set(d, block.weights[b]), products, change);
        const auto apart = hn::MulAdd(minus_two, products, norms);
        farthest = hn::Max(farthest, hn::Add(apart, hn::Set(d, block.squared_norms[b])));
        far = hn::IfThenElse(behind, hn::Max(far, apart), far);
        const auto x = hn::Mul(hn::MulAdd(twice, change, start), hn::Set(d, asked.inverse_S[b]));
        const auto rest = hn::RebindMask(d, hn::Gt(rank, hn::Set(di, static_cast<Rank>(first + b))));
        sum = hn::IfThenElse(rest, hn::MulAdd(x, series(d, x), sum), sum);
      };
      take(0, s0, f0), take(1, s1, f1), take(2, s2, f2), take(3, s3, f3);
      take(4, s4, f4), take(5, s5, f5), take(6, s6, f6), take(7, s7, f7);
      add_change(d, columns, i, change);
      hn::Store(farthest, d, columns.farthest.get() + i);
    }
    std::size_t b = 0;
    for (const V* sum : {&s0, &s1, &s2, &s3, &s4, &s5, &s6, &s7})
      series_sum[b++] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, *sum)));
  }
  std::size_t b = 0;
  for (const V* far : {&f0, &f1, &f2, &f3, &f4, &f5, &f6, &f7}) reach[b++] = hn::GetLane(hn::MaxOfLanes(d, *far));
  *before = hn::GetLane(hn::MaxOfLanes(d, found));
}
ATTNCERT_FORMS(advance)

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::bounds {
namespace {

ATTNCERT_DISPATCH(advance)

}  // namespace

// d_1^2 after each rank: pairs that end behind the block are the vector loop's; the others end among the block's own
// later tokens, whose `farthest` is taken before the loop moves it on.
template <class T>
void advance(const Block<T>& block, Columns<T>& columns, std::size_t first, SeriesSums<T>& sums) {
  std::array<T, block_ranks> found, reach;
  for (std::size_t b = 0; b < block_ranks; ++b) found[b] = columns.farthest[block.tokens[b]];
  T before = 0;
  sums.series = {};
  dispatch_advance<T>(block, columns, first, sums, sums.series.data(), reach.data(), &before);
  T behind = before;
  for (std::size_t b = 0; b < block_ranks; ++b) {
    behind = std::max(behind, reach[b] + block.squared_norms[b]);
    T most = std::max(behind, T{0});
    for (std::size_t later = b + 1; later < block_ranks; ++later) {
      const T apart = block.squared_norms[later] - 2 * block.rows[b][block.tokens[later]] + block.squared_norms[b];
      found[later] = std::max(found[later], apart);
      most = std::max(most, found[later]);
    }
    sums.reach[b] = static_cast<double>(most);
  }
}

template void advance(const Block<float>&, Columns<float>&, std::size_t, SeriesSums<float>&);
template void advance(const Block<double>&, Columns<double>&, std::size_t, SeriesSums<double>&);

}  // namespace attncert::bounds
#endif  // HWY_ONCE
