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
#include "src/normalizers/exponential/softmax_long-inl.h"
#include "src/normalizers/exponential/softmax_parted-inl.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"
#include "src/normalizers/exponential/softmax_short-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

// A family tells the rows' logits, their largest and their scale, and writes rows without a finite largest logit. In this
// one all rows share the scale of the batch; kZero: a logit 0 takes part that has no place in the row (softmax1).
template <class T, bool kZero>
struct SharedFamily {
  static constexpr bool kOneScale = true;  // else the scale is that of rows without -inf only
  static constexpr bool kZeroToo = kZero;
  const Scale<T>& of_batch;

  const Scale<T>& scale_of_whole(std::size_t) const { return of_batch; }
  const Scale<T>& scale() const { return of_batch; }
  const T* logits(const Batch<T>& batch, std::size_t row) const { return row_logits(batch, row); }
  template <class D>
  HWY_INLINE T largest(D d, const T* x, std::size_t length) const {
    return row_largest(d, x, length);
  }
  void degenerate(const T* x, T* y, std::size_t length) const {
    write_degenerate_row(
        x, y, length, T(0), +[](double count) { return 1 / count; });
  }
};

// A row ready for its exponentials.
template <class T>
struct Row {
  const T* x;
  T* y;
  Scale<T> scale;
  RowShift<T> shift;
};

// False when the row is written already. x: what family.logits said of the row, asked once: SSMax with s < 0 negates the logits,
// and in place a second time would undo it.
template <class D, class Family, class T = Lane<D>>
HWY_INLINE bool prepare(D d, const Batch<T>& batch, Family& family, std::size_t row, const T* x, Row<T>& out) {
  out.x = x;
  out.y = batch.output + row * batch.output_stride;
  T largest = family.largest(d, out.x, batch.length);
  if (HWY_UNLIKELY(!is_finite(largest))) {
    family.degenerate(out.x, out.y, batch.length);
    return false;
  }
  if (Family::kZeroToo) largest = std::max(largest, T(0));
  out.scale = family.scale();
  out.shift = row_shift(out.scale, largest);
  return true;
}

template <class D, class Family, class Beside, class T = Lane<D>>
HWY_INLINE RowSum row_sum(D d, const Row<T>& row, T* e, std::size_t length, Beside& beside) {
  return with_exp(d, row.scale, row.shift, [&](const auto& exp) HWY_ATTR {
    RowSum all = row_exponentials(d, exp, row.x, e, length, beside);
    if (Family::kZeroToo) all.sum.add(static_cast<double>(hn::GetLane(exp(hn::Zero(d)))));
    return all;
  });
}

// Rows go in groups, each step for the whole group: the reductions of one row wait long for each other, those of
// several rows do not. A result never depends on its group. `asked`: the logits of a single row, where known already.
template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_group(D d, const Batch<T>& batch, Family& family, std::size_t first, std::size_t rows,
                              const T* asked = nullptr) {
  Row<T> group[kGroup];
  RowSum sums[kGroup];
  std::size_t finite = 0;
  Nothing nothing;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* x = asked != nullptr ? asked : family.logits(batch, first + r);
    finite += prepare(d, batch, family, first + r, x, group[finite]) ? 1 : 0;
  }
  for (std::size_t r = 0; r < finite; ++r) {
    sums[r] = row_sum<D, Family>(d, group[r], group[r].y, batch.length, nothing);
  }
  for (std::size_t r = 0; r < finite; ++r) {
    if (HWY_UNLIKELY(sums[r].sum.high != sums[r].sum.high)) {
      fill(group[r].y, batch.length, std::numeric_limits<T>::quiet_NaN());
      continue;
    }
    with_times(d, reciprocal(sums[r].sum, T()), sums[r].deep, [&](const auto& times) HWY_ATTR {
      multiply(d, Stored<T>{group[r].y}, group[r].y, 0, batch.length, times);
    });
  }
}

// Stores the weights of one row, piece by piece, while the exponentials of the next one are computed and, past the caches, the
// one after is fetched.
template <class D, class By, bool kPast = true, class T = Lane<D>>
class Drain {
 public:
  HWY_INLINE Drain(D d, const T* e, T* y, const By& times, const T* next, std::size_t length)
      : times_(times), e_(e), y_(y), next_(next), length_(length), done_(kPast ? misaligned(d, y, length) : 0) {
    multiply(d, Stored<T>{e_}, y_, 0, done_, times_);
  }
  HWY_INLINE void operator()(std::size_t i) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t j = i; kPast && j < i + 4 * lanes; j += kLine / sizeof(T)) hwy::Prefetch(next_ + j);
    if (done_ + 4 * lanes > length_) return;
    for (std::size_t j = done_; j < done_ + 4 * lanes; j += lanes) {
      const auto v = times_(hn::LoadU(d, e_ + j));
      if (kPast) {
        hn::Stream(v, d, y_ + j);
      } else {
        hn::StoreU(v, d, y_ + j);
      }
    }
    done_ += 4 * lanes;
  }
  HWY_INLINE void finish() { multiply(D(), Stored<T>{e_}, y_, done_, length_, times_); }

 private:
  By times_;
  const T* e_;
  T* y_;
  const T* next_;
  std::size_t length_, done_;
};

// Fetches the next row only.
template <class D, class T = Lane<D>>
struct Fetch {
  const T* next;
  HWY_INLINE void operator()(std::size_t i) {
    for (std::size_t j = i; j < i + 4 * hn::Lanes(D()); j += kLine / sizeof(T)) hwy::Prefetch(next + j);
  }
};

// A row whose exponentials wait for their product.
template <class T>
struct Pending {
  const T* e = nullptr;
  T* y = nullptr;  // null: none
  Reciprocal<T> by{0, 0};
  bool deep = false;
};

template <class D, class Family, class T = Lane<D>>
HWY_INLINE RowSum sum_and_drain(D d, const Row<T>& row, T* e, const T* next, std::size_t length,
                                const Pending<T>& pending) {
  if (pending.y == nullptr) {
    Fetch<D> fetch{next};
    return row_sum<D, Family>(d, row, e, length, fetch);
  }
  RowSum sum;
  with_times(d, pending.by, pending.deep, [&](const auto& times) HWY_ATTR {
    Drain<D, std::decay_t<decltype(times)>> drain(d, pending.e, pending.y, times, next, length);
    sum = row_sum<D, Family>(d, row, e, length, drain);
    drain.finish();
  });
  return sum;
}

template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_pipeline(D d, const Batch<T>& batch, Family& family) {
  T *e = static_cast<T*>(batch.scratch), *other = e + held<T>(batch.length);
  Pending<T> pending;
  for (std::size_t r = 0; r < batch.rows; ++r) {
    Row<T> row;
    if (!prepare(d, batch, family, r, family.logits(batch, r), row)) continue;
    const T* next = r + 1 < batch.rows ? batch.input + (r + 1) * batch.input_stride : row.x;
    const RowSum sum = sum_and_drain<D, Family>(d, row, e, next, batch.length, pending);
    pending.y = nullptr;
    if (HWY_UNLIKELY(sum.sum.high != sum.sum.high)) {
      fill(row.y, batch.length, std::numeric_limits<T>::quiet_NaN());
      continue;
    }
    pending = {e, row.y, reciprocal(sum.sum, T()), sum.deep};
    std::swap(e, other);
  }
  if (pending.y != nullptr) {
    with_times(d, pending.by, pending.deep, [&](const auto& times) HWY_ATTR {
      multiply_past_caches(d, Stored<T>{pending.e}, pending.y, batch.length, times);
    });
  }
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
  for (std::size_t r = 0; r < batch.rows; ++r) {
    const T* x = family.logits(batch, r);
    T* y = batch.output + r * batch.output_stride;
    const std::size_t length = batch.length;
    const T first = row_largest(d, x, std::min(length, block_of(d)));
    if (softmax_long<D, Family>(d, x, y, length, family.scale_of_whole(length), first, !Family::kOneScale)) continue;
    if (!Family::kOneScale) {  // a row with -inf has a scale of its own, known with its largest logit
      const T largest = family.largest(d, x, length);
      if (softmax_long<D, Family>(d, x, y, length, family.scale(), largest, false)) continue;
    }
    softmax_group(d, batch, family, r, 1, x);
  }
  hwy::FlushStream();
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

template <bool kPast, class D, class Family>
HWY_INLINE void softmax_short_rows(D d, const Batch<float>& batch, Family& family) {
  constexpr bool own = !Family::kOneScale;
  const std::size_t ahead = std::max<std::size_t>(kShortRows, 2 * kAhead / sizeof(float) / batch.length);
  const Scale<float>& scale = family.scale_of_whole(batch.length);
  const bool masked = own && batch.mask != nullptr;  // -inf is likely
  with_short_pipe<Family::kZeroToo, kPast, own>(d, scale, batch.length, [&](auto& pipe) HWY_ATTR {
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
  });
}

template <class D, class Family>
HWY_INLINE void softmax_short_rows(D d, const Batch<float>& batch, Family& family) {
  constexpr std::size_t vector = HWY_MAX_BYTES;  // what every vector's size divides
  const bool aligned = reinterpret_cast<std::uintptr_t>(batch.output) % vector == 0 &&
                       batch.output_stride * sizeof(float) % vector == 0 && batch.length % hn::Lanes(d) == 0;
  if (!aligned || !beyond_caches<float>(batch.rows, batch.length)) {
    return softmax_short_rows<false>(d, batch, family);
  }
  softmax_short_rows<true>(d, batch, family);
  hwy::FlushStream();
}
#endif

template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_batch(D d, const Batch<T>& batch, Family&& family) {
  if (batch.rows == 0) return;
  if (is_long<T>(batch.length)) return softmax_long_rows(d, batch, family);
  if (is_pipelined<T>(batch.rows, batch.length, batch.mask != nullptr)) return softmax_pipeline(d, batch, family);
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  if constexpr (sizeof(T) == 4) {
    const bool near = family.scale_of_whole(batch.length).near;
    if (batch.length <= 4 * hn::Lanes(d) && near) return softmax_short_rows(d, batch, family);
  }
#endif
  softmax_groups(d, batch, family);
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
