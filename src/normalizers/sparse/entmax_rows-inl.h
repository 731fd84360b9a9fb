// Rows of an entmax: short ones of f32 several at a time (entmax_short-inl.h), the others one by one.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_ROWS_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_ROWS_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_ROWS_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"
#include "src/normalizers/sparse/entmax_search-inl.h"
#include "src/normalizers/sparse/entmax_short-inl.h"
#include "src/normalizers/sparse/entmax_weights-inl.h"
#include "src/normalizers/sparse/sparse_scratch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// What the rows of a call share; strides are those of the logits, in cells.
template <class T>
struct SparseRows {
  const Scale<T>& scale;
  T* scratch;  // sparse_scratch.hpp
  std::size_t rows, length, stride;
};

// stream: past the caches, as far as y is aligned.
template <class Power, class T, class X, class Y>
HWY_NOINLINE void entmax_row(const Power& raise, const Search<Power, T>& search, const SparseRows<T>& rows,
                             double reach, bool stream, X x, Y y) {
  const hn::ScalableTag<T> d;
  const std::size_t length = rows.length;
  auto* const blocks = reinterpret_cast<std::uint32_t*>(rows.scratch + sparse_room<T>(length));
  const Candidates<T> candidates = find_candidates(d, search, x, length, reach, rows.scratch, blocks, stream);
  if (HWY_UNLIKELY(candidates.nan)) return fill_nan(y, length);
  if (HWY_UNLIKELY(!(std::abs(candidates.largest) <= std::numeric_limits<T>::max()))) {
    return write_degenerate(x, y, length, rows.scratch);
  }
  const Support<T> support = find_support(raise, rows.scale, candidates);
  const auto gap = find_gap(raise, rows.scale, candidates, support);
  Weights<Power, T> weights(raise, rows.scale, support.lowest, gap);
  const NextRow next(cells(x), length * sizeof(Cell<X>), rows.stride * sizeof(Cell<X>));
  if constexpr (Power::costly) {
    InOrder<T> ready(d, weights, candidates);
    stream ? write_row<true>(d, ready, candidates, next, x, y, length)
           : write_row<false>(d, ready, candidates, next, x, y, length);
  } else {
    stream ? write_row<true>(d, weights, candidates, next, x, y, length)
           : write_row<false>(d, weights, candidates, next, x, y, length);
  }
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// Rows of at most kShortSparse logits, as many at a time as a vector has lanes. alone(row) where a row needs more care.
template <class Power, class Logits, class Written, class Alone>
HWY_INLINE void entmax_short_rows(const Power& raise, const SparseRows<float>& rows, double reach, bool stream,
                                  const Logits& logits, const Written& weights, const Alone& alone) {
  const hn::ScalableTag<float> d;
  const std::size_t length = rows.length, lanes = hn::Lanes(d);
  FewOf block;
  for (std::size_t first = 0; first < rows.rows; first += lanes) {
    const std::size_t present = std::min(lanes, rows.rows - first);
    block.find(reach, length, present, [&](std::size_t r) HWY_ATTR { return logits(first + r); });
    block.settle(raise, rows.scale.given);
    for (std::size_t r = 0; r < present; ++r) {
      if (HWY_UNLIKELY(!(block.gaps[r] > 0))) {
        alone(first + r);
        continue;
      }
      Weights<Power, float> by(raise, rows.scale, block.lowest[r], {block.gaps[r], 0});
      const auto x = logits(first + r);
      const auto y = weights(first + r);
      const NextRow next(cells(x), 0, 0);  // fetched by the pass over the next block
      stream&& reinterpret_cast<std::uintptr_t>(cells(y)) % sizeof(hn::Vec<hn::ScalableTag<float>>) == 0
          ? write_weights<true>(d, by, next, x, y, length)
          : write_weights<false>(d, by, next, x, y, length);
    }
  }
}
#endif

// logits(row), weights(row): the row's begin.
template <class Power, class T, class Logits, class Written>
HWY_INLINE void entmax_rows(const Power& raise, const SparseRows<T>& rows, bool stream, const Logits& logits,
                            const Written& weights) {
  const double reach = raise.exponent * rows.scale.given * (1 + 0x1p-50);
  const Search<Power, T> search(raise, units(rows.scale));
  const auto alone = [&](std::size_t row)
                         HWY_ATTR { entmax_row(raise, search, rows, reach, stream, logits(row), weights(row)); };
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  if constexpr (sizeof(T) == 4 && !Power::costly) {
    if (rows.length <= kShortSparse) {
      entmax_short_rows(raise, rows, reach, stream, logits, weights, alone);
      if (stream) hwy::FlushStream();
      return;
    }
  }
#endif
  for (std::size_t row = 0; row < rows.rows; ++row) alone(row);
  if (stream) hwy::FlushStream();
}

template <class Power, class T>
HWY_INLINE void entmax_rows(const Power& raise, const Batch<T>& batch) {
  entmax_rows(
      raise, SparseRows<T>{batch.scale, static_cast<T*>(batch.scratch), batch.rows, batch.length, batch.input_stride},
      beyond_caches<T>(batch.rows, batch.length) && reinterpret_cast<std::uintptr_t>(batch.output) % sizeof(T) == 0,
      [&](std::size_t row) HWY_ATTR { return batch.input + row * batch.input_stride; },
      [&](std::size_t row) HWY_ATTR { return batch.output + row * batch.output_stride; });
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
