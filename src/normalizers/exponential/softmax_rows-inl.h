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
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_parted-inl.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"
#include "src/normalizers/exponential/softmax_row-inl.h"
#include "src/normalizers/exponential/softmax_short-inl.h"
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

// False when the row is written already. x: what family.logits said of the row, asked once: SSMax with s < 0 negates
// the logits, and in place a second time would undo it.
template <class D, class Family, class T = Lane<D>>
HWY_INLINE bool prepare(D d, const Batch<T>& batch, Family& family, std::size_t row, const T* x, Row<T>& out) {
  out.x = x;
  out.y = batch.output + row * batch.output_stride;
  T largest, smallest;
  family.range(d, out.x, batch.length, largest, smallest);
  if (HWY_UNLIKELY(!is_finite(largest))) {
    family.degenerate(out.x, out.y, batch.length);
    return false;
  }
  if (family.zero) {
    largest = std::max(largest, T(0));
    smallest = std::min(smallest, T(0));
  }
  const Scale<T>& scale = family.scale();
  out.shift = row_shift(scale, largest);
  out.shallow = is_shallow(scale, out.shift, largest, smallest);
  out.scale = scale;  // last: what is read where it was just stored comes late
  return true;
}

// Rows go in groups, each step for the whole group: the reductions of one row wait long for each other, those of
// several rows do not. A result never depends on its group. `asked`: the logits of a single row, where known already.
template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_group(D d, const Batch<T>& batch, Family& family, std::size_t first, std::size_t rows,
                              const T* asked = nullptr) {
  Row<T> group[kGroup];
  std::size_t finite = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* x = asked != nullptr ? asked : family.logits(batch, first + r);
    finite += prepare(d, batch, family, first + r, x, group[finite]) ? 1 : 0;
  }
  softmax_of_group(group, finite, batch.length, family.zero);
}

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

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// One block of short rows.
template <class Family>
HWY_INLINE ShortRows short_rows(const Batch<float>& batch, Family& family, std::size_t first, std::size_t present,
                                std::size_t ahead) {
  ShortRows rows{{}, {}, present, batch.length, nullptr, batch.input_stride, !Family::kOneScale, {}};
  for (std::size_t r = 0; r < present; ++r) {
    rows.x[r] = family.logits(batch, first + r);
    rows.y[r] = batch.output + (first + r) * batch.output_stride;
  }
  std::fill(rows.x + present, rows.x + in_fours(present), rows.x[present - 1]);
  if (first + ahead + rows.count <= batch.rows) rows.ahead = batch.input + (first + ahead) * batch.input_stride;
  return rows;
}

// Rows with -inf have scales of their own; null where none serves. Whether all have one.
template <class D, class Family>
HWY_INLINE bool find_scales(D d, Family& family, ShortRows& rows) {
  rows.all_present = false;
  bool all = true;
  for (std::size_t r = 0; r < rows.count; ++r) {
    rows.scales[r] = family.near_scale(rows.length - count_absent(d, rows.x[r], rows.length));
    all &= rows.scales[r] != nullptr;
  }
  std::fill(rows.scales + rows.count, rows.scales + in_fours(rows.count), rows.scales[rows.count - 1]);
  return all;
}

template <class D, class Family>
HWY_INLINE void softmax_short_rows(D d, const Batch<float>& batch, Family& family, bool past) {
  constexpr bool own = !Family::kOneScale;
  const std::size_t ahead = std::max<std::size_t>(kShortRows, 2 * kAhead / sizeof(float) / batch.length);
  const Scale<float>& scale = family.scale_of_whole(batch.length);
  const bool masked = own && batch.masked;  // -inf is likely
  ShortPipe<SingleStorage> pipe(scale, batch.length, {past, own, family.zero});
  for (std::size_t first = 0; first < batch.rows; first += kShortRows) {
    const std::size_t present = std::min(kShortRows, batch.rows - first);
    ShortRows rows = short_rows(batch, family, first, present, ahead);
    if (own) std::fill_n(rows.scales, kShortRows, &scale);
    ShortShifts shifts{};  // of rows not looked at: nothing against them
    if (HWY_LIKELY(!masked && pipe.take(rows, shifts))) continue;
    if constexpr (own) {
      if (find_scales(d, family, rows) && pipe.take(rows, shifts)) continue;
    }
    const auto fits = [&](std::size_t r)
                          HWY_ATTR { return is_finite(shifts.largest[r]) && (!own || rows.scales[r] != nullptr); };
    take_parted(pipe, rows, present, fits,
                [&](std::size_t r) HWY_ATTR { softmax_group(d, batch, family, first + r, 1, rows.x[r]); });
  }
  pipe.finish();
}

template <class D, class Family>
HWY_INLINE void softmax_short_rows(D d, const Batch<float>& batch, Family& family) {
  constexpr std::size_t vector = HWY_MAX_BYTES;  // what every vector's size divides
  const bool aligned = reinterpret_cast<std::uintptr_t>(batch.output) % vector == 0 &&
                       batch.output_stride * sizeof(float) % vector == 0 && batch.length % hn::Lanes(d) == 0;
  const bool past = aligned && beyond_caches<float>(batch.rows, batch.length);
  softmax_short_rows(d, batch, family, past);
  if (past) hwy::FlushStream();
}
#endif

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
