// Batches of half rows: up to four vectors in blocks, up to kGroupLength in groups, longer ones as a pipeline, each
// past the caches where the batch exceeds them. Every way takes the f32 kernel's steps, so that its bits are the
// adapter's.
#include "src/normalizers/half/softmax_half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/half/softmax_half.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_parted-inl.h"
#include "src/normalizers/exponential/softmax_rows-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"
#include "src/normalizers/half/half_convert.hpp"
#include "src/normalizers/half/softmax_half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// A row whose exponentials are to be taken, and one whose exponentials wait for their product.
struct HalfRow {
  const std::uint16_t *x, *next;
  RowShift<float> shift;
};
struct PendingHalf {
  const float* e = nullptr;
  std::uint16_t* y = nullptr;  // null: none
  Reciprocal<float> by{};
  bool deep = false;
};

// Step by step row_sum of softmax_row.cpp.
template <class Format>
HWY_NOINLINE RowSum half_row_sum(const Scale<float>& scale, const HalfRow& row, float* e, std::size_t length) {
  const Singles d;
  Nothing nothing;
  return with_exp(d, scale, row.shift, [&](const auto& exp) HWY_ATTR {
    return row_exponentials(d, exp, HalfLogits<Format>{row.x}, e, length, nothing);
  });
}

template <class Format>
HWY_NOINLINE void store_half_row(const PendingHalf& row, std::size_t length, bool past_caches) {
  with_times(Singles(), row.by, row.deep, [&](const auto& times) HWY_ATTR {
    multiply_narrow_all<Format>(row.e, row.y, length, times, past_caches);
  });
}

template <class Format, bool kPastCaches>
HWY_INLINE RowSum half_sum_and_drain(const Scale<float>& scale, const HalfRow& row, float* e, std::size_t length,
                                     const PendingHalf& pending) {
  using D = Singles;
  const D d;
  const bool near = row.shift.unit || row.shift.near;
  if (HWY_UNLIKELY(pending.y == nullptr || pending.deep || !near)) {  // rare: not worth loops of their own
    if (pending.y != nullptr) store_half_row<Format>(pending, length, kPastCaches);
    return half_row_sum<Format>(scale, row, e, length);
  }
  const Times<D> times(d, pending.by);
  HalfDrain<Format, kPastCaches, Times<D>> drain(pending.e, pending.y, times, row.next, length);
  const HalfLogits<Format> x{row.x};
  const RowSum sum = row.shift.unit
                         ? row_exponentials(d, RowExp<D, ExpForm::unit>(d, scale, row.shift), x, e, length, drain)
                         : row_exponentials(d, RowExp<D, ExpForm::near>(d, scale, row.shift), x, e, length, drain);
  drain.finish();
  return sum;
}

// What no arithmetic reaches, by way of f32.
inline void degenerate_half_row(attncert_dtype half, const std::uint16_t* x, std::uint16_t* y, float* e,
                                std::size_t length) {
  widen(half, x, e, length);
  write_degenerate_row(
      e, e, length, 0.0f, +[](double count) { return 1 / count; });
  narrow(half, e, y, length);
}

// Rows of middle length in groups, as softmax_group of softmax_rows-inl.h; their exponentials side by side in scratch.
template <class Format>
HWY_INLINE void half_group(attncert_dtype half, const Scale<float>& scale, const attncert_arguments& a,
                           std::size_t first, std::size_t rows, std::size_t ahead, bool past_caches) {
  const std::size_t length = a.length, room = held<float>(length);
  float* const scratch = static_cast<float*>(a.scratch);
  HalfRow group[kGroup];
  PendingHalf pending[kGroup];
  std::size_t finite = 0;
  for (std::size_t r = first; r < first + rows; ++r) {
    const std::uint16_t* x = static_cast<const std::uint16_t*>(a.input) + r * a.input_stride;
    std::uint16_t* y = static_cast<std::uint16_t*>(a.output) + r * a.output_stride;
    float* const e = scratch + finite * room;
    const float largest = largest_half<Format>(x, length);
    if (HWY_UNLIKELY(!is_finite(largest))) {
      degenerate_half_row(half, x, y, e, length);
      continue;
    }
    group[finite] = {x, r + ahead < a.rows ? x + ahead * a.input_stride : x, row_shift(scale, largest)};
    pending[finite] = {e, y, {}, false};
    ++finite;
  }
  for (std::size_t r = 0; r < finite; ++r) {
    for (std::size_t j = 0; past_caches && j < length; j += kLine / sizeof(std::uint16_t)) {
      hwy::Prefetch(group[r].next + j);
    }
    const RowSum sum = half_row_sum<Format>(scale, group[r], scratch + r * room, length);
    pending[r].by = reciprocal(sum.sum, 0.0f);
    pending[r].deep = sum.deep;
  }
  for (std::size_t r = 0; r < finite; ++r) {
    if (HWY_UNLIKELY(pending[r].by.head != pending[r].by.head)) {
      std::fill_n(pending[r].y, length, Format::kNan);
      continue;
    }
    store_half_row<Format>(pending[r], length, past_caches);
  }
}

template <class Format>
HWY_INLINE void half_groups(attncert_dtype half, const Scale<float>& scale, const attncert_arguments& a,
                            bool past_caches) {
  const std::size_t ahead = std::max<std::size_t>(kGroup, kAhead / sizeof(std::uint16_t) / a.length);
  for (std::size_t first = 0; first < a.rows; first += kGroup) {
    half_group<Format>(half, scale, a, first, std::min(kGroup, a.rows - first), ahead, past_caches);
  }
  if (past_caches) hwy::FlushStream();
}

template <class Format, bool kPastCaches>
HWY_INLINE void half_pipeline(attncert_dtype half, const Scale<float>& scale, const attncert_arguments& a) {
  const std::size_t length = a.length;
  float *e = static_cast<float*>(a.scratch), *other = e + held<float>(length);
  PendingHalf pending;
  for (std::size_t r = 0; r < a.rows; ++r) {
    const std::uint16_t* x = static_cast<const std::uint16_t*>(a.input) + r * a.input_stride;
    std::uint16_t* y = static_cast<std::uint16_t*>(a.output) + r * a.output_stride;
    const float largest = largest_half<Format>(x, length);
    if (HWY_UNLIKELY(!is_finite(largest))) {
      degenerate_half_row(half, x, y, e, length);
      continue;
    }
    const HalfRow row{x, r + 1 < a.rows ? x + a.input_stride : x, row_shift(scale, largest)};
    const RowSum sum = half_sum_and_drain<Format, kPastCaches>(scale, row, e, length, pending);
    pending.y = nullptr;
    if (HWY_UNLIKELY(sum.sum.high != sum.sum.high)) {
      std::fill_n(y, length, Format::kNan);
      continue;
    }
    pending = {e, y, reciprocal(sum.sum, 0.0f), sum.deep};
    std::swap(e, other);
  }
  if (pending.y != nullptr) store_half_row<Format>(pending, length, false);
  if (kPastCaches) hwy::FlushStream();
}

// A row of at most four vectors that has no finite largest logit, by way of f32.
HWY_NOINLINE void short_half_alone(attncert_dtype half, const Scale<float>& scale, const std::uint16_t* x,
                                   std::uint16_t* y, std::size_t length) {
  HWY_ALIGN float row[HWY_MAX_BYTES];
  widen(half, x, row, length);
  Batch<float> one;
  one.input = one.output = row;
  one.rows = 1;
  one.length = length;
  SharedFamily<float> family{scale, false};
  softmax_group(Singles(), one, family, 0, 1);
  narrow(half, row, y, length);
}

// One block of short rows.
template <class Format>
HWY_INLINE ShortRowsOf<HalfStorage<Format>> short_halves(const attncert_arguments& a, std::size_t first,
                                                         std::size_t present, std::size_t ahead) {
  const std::uint16_t* x = static_cast<const std::uint16_t*>(a.input);
  std::uint16_t* y = static_cast<std::uint16_t*>(a.output);
  ShortRowsOf<HalfStorage<Format>> rows{{}, {}, present, a.length, nullptr, a.input_stride, false, {}};
  for (std::size_t r = 0; r < present; ++r) {
    rows.x[r] = x + (first + r) * a.input_stride;
    rows.y[r] = y + (first + r) * a.output_stride;
  }
  std::fill(rows.x + present, rows.x + in_fours(present), rows.x[present - 1]);
  if (first + ahead + rows.count <= a.rows) rows.ahead = x + (first + ahead) * a.input_stride;
  return rows;
}

template <class Format>
HWY_INLINE void short_half_rows(attncert_dtype half, const Scale<float>& scale, const attncert_arguments& a,
                                bool past_caches) {
  const std::size_t ahead = std::max<std::size_t>(kShortRows, 2 * kAhead / sizeof(std::uint16_t) / a.length);
  ShortPipe<HalfStorage<Format>> pipe(scale, a.length, {past_caches, false, false});
  for (std::size_t first = 0; first < a.rows; first += kShortRows) {
    const std::size_t present = std::min(kShortRows, a.rows - first);
    const auto rows = short_halves<Format>(a, first, present, ahead);
    ShortShifts shifts;
    if (HWY_LIKELY(pipe.take(rows, shifts))) continue;
    take_parted(
        pipe, rows, present, [&](std::size_t r) HWY_ATTR { return is_finite(shifts.largest[r]); },
        [&](std::size_t r) HWY_ATTR { short_half_alone(half, scale, rows.x[r], rows.y[r], a.length); });
  }
  pipe.finish();
}

// Past the caches rows are whole pairs of vectors, aligned.
template <class Format>
HWY_INLINE void short_half_batch(attncert_dtype half, const Scale<float>& scale, const attncert_arguments& a) {
  constexpr std::size_t vector = HWY_MAX_BYTES;  // what every vector's size divides
  const bool aligned = reinterpret_cast<std::uintptr_t>(a.output) % vector == 0 &&
                       a.output_stride * sizeof(std::uint16_t) % vector == 0 &&
                       a.length % (2 * hn::Lanes(Singles())) == 0;
  const bool past_caches = aligned && beyond_caches<std::uint16_t>(a.rows, a.length);
  short_half_rows<Format>(half, scale, a, past_caches);
  if (past_caches) hwy::FlushStream();
}

// False: rows for the f32 kernel's own order of sums.
template <class Format>
HWY_INLINE bool half_batch(attncert_dtype half, const attncert_arguments& a) {
  const Scale<float> scale = make_scale<float>(a.temperature, FormatLimits<float>::temperature_limit);
  if (a.length <= 4 * hn::Lanes(Singles())) {
    if (scale.near) short_half_batch<Format>(half, scale, a);
    return scale.near;
  }
  const bool past_caches = beyond_caches<std::uint16_t>(a.rows, a.length);
  if (a.length <= kGroupLength) {
    half_groups<Format>(half, scale, a, past_caches);
  } else {
    past_caches ? half_pipeline<Format, true>(half, scale, a) : half_pipeline<Format, false>(half, scale, a);
  }
  return true;
}

#endif

bool softmax_halves(attncert_dtype half, const attncert_arguments& a) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return with_half_format(half, [&](auto format) HWY_ATTR { return half_batch<decltype(format)>(half, a); });
#else
  (void)half;
  (void)a;
  return false;
#endif
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax_halves);

}  // namespace

bool takes_softmax_half(const attncert_arguments& arguments) noexcept { return !is_long<float>(arguments.length); }

std::size_t softmax_half_scratch(const attncert_arguments& arguments) noexcept {
  const std::size_t rows = arguments.length <= kGroupLength ? kGroup : 2;  // of exponentials
  return takes_softmax_half(arguments) ? rows * held<float>(arguments.length) * sizeof(float) : 0;
}

bool softmax_half(attncert_dtype half, const attncert_arguments& arguments) noexcept {
  return HWY_DYNAMIC_DISPATCH(softmax_halves)(half, arguments);
}

}  // namespace attncert
#endif  // HWY_ONCE
