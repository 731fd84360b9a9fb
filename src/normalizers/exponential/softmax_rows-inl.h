// Rows of softmax, ssmax and softmax1 (a Family says which): groups of short rows, single rows, and, where the batch
// exceeds the caches, a pipeline that stores row r past the caches while it takes the exponentials of row r + 1.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_ROWS_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_ROWS_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_ROWS_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_pass-inl.h"
#include "src/normalizers/exponential/softmax_row-inl.h"
#include "src/normalizers/exponential/softmax_short_rows-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// A family tells the rows' logits, their range and their scale, and writes rows without a finite largest logit. In
// this one all rows share the scale of the batch.
template <class T>
struct SharedFamily {
  static constexpr bool kOneScale = true;  // else the scale is that of rows without -inf only
  const Scale<T>& of_batch;
  bool zero;  // a logit 0 takes part that has no place in the row (softmax1)

  const Scale<T>& scale_of_whole(std::size_t) const { return of_batch; }
  const Scale<T>& scale() const { return of_batch; }
  const T* logits(const Batch<T>& batch, std::size_t row) const { return batch.input + row * batch.input_stride; }
  template <class D>
  HWY_INLINE void range(D d, const T* x, std::size_t length, T& largest, T& smallest) const {
    row_range(d, x, length, largest, smallest);
  }
  void degenerate(const T* x, T* y, std::size_t length) const {
    write_degenerate_row(
        x, y, length, T(0), +[](double count) { return 1 / count; });
  }
};

template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_pipeline(D d, const Batch<T>& batch, Family& family) {
  T *e = static_cast<T*>(batch.scratch), *other = e + held<T>(batch.length);
  Pending<T> pending;
  for (std::size_t r = 0; r < batch.rows; ++r) {
    Row<T> row;
    if (!prepare(d, batch, family, r, family.logits(batch, r), row)) continue;
    const T* next = r + 1 < batch.rows ? batch.input + (r + 1) * batch.input_stride : row.x;
    const RowSum sum = sum_and_drain(row, e, next, batch.length, pending, family.zero);
    pending.y = nullptr;
    if (HWY_UNLIKELY(sum.sum.high != sum.sum.high)) {
      fill(row.y, batch.length, std::numeric_limits<T>::quiet_NaN());
      continue;
    }
    pending = {e, row.y, reciprocal(sum.sum, T()), sum.deep};
    std::swap(e, other);
  }
  if (pending.y != nullptr) multiply_row_past_caches(pending, batch.length);
  hwy::FlushStream();
}

template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_groups(D d, const Batch<T>& batch, Family& family) {
  const std::size_t group = batch.length <= kGroupLength ? kGroup : 1;
  for (std::size_t first = 0; first < batch.rows; first += group) {
    softmax_group(d, batch, family, first, std::min(group, batch.rows - first));
  }
}

template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_long_rows(D d, const Batch<T>& batch, Family& family) {
  const std::size_t length = batch.length;
  const bool past = beyond_caches<T>(batch.rows, length);
  // By the room that is there, for a masked row comes alone, whatever its batch asked for.
  T* const kept = batch.scratch_bytes < held<T>(length) * sizeof(T) ? nullptr : static_cast<T*>(batch.scratch);
  for (std::size_t r = 0; r < batch.rows; ++r) {
    const T* x = family.logits(batch, r);
    T* const y = batch.output + r * batch.output_stride;
    LongRow<T> row{
        x, y, past || x == y ? kept : y, length, row_largest(d, x, block_of(d)), !Family::kOneScale, family.zero, past};
    if (softmax_long(row, family.scale_of_whole(length))) continue;
    if (!Family::kOneScale) {  // a row with -inf has a scale of its own, known with its largest logit
      T smallest;
      family.range(d, x, length, row.first, smallest);
      row.all_present = false;
      if (softmax_long(row, family.scale())) continue;
    }
    softmax_group(d, batch, family, r, 1, x);
  }
  if (past) hwy::FlushStream();
}

template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_batch(D d, const Batch<T>& batch, Family&& family) {
  if (batch.rows == 0) return;
  if (is_long<T>(batch.length)) return softmax_long_rows(d, batch, family);
  if (is_pipelined<T>(batch.rows, batch.length)) return softmax_pipeline(d, batch, family);
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  if constexpr (sizeof(T) == 4) {
    const bool near = family.scale_of_whole(batch.length).near;
    if (batch.length <= 4 * hn::Lanes(d) && near) return softmax_short_rows(d, batch, family);
  }
#endif
  softmax_groups(d, batch, family);
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
