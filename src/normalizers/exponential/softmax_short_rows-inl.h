// Rows of at most four vectors of a Family (softmax_rows-inl.h), block by block.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_ROWS_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_ROWS_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_ROWS_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_group-inl.h"
#include "src/normalizers/exponential/softmax_parted-inl.h"
#include "src/normalizers/exponential/softmax_short-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

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

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
