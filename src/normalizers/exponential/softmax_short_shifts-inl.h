// The largest logits of a block of short rows, and what follows from them, four rows side by side.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_SHIFTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_SHIFTS_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_SHIFTS_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_SHIFTS_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/exponential/short_sums-inl.h"
#include "src/normalizers/exponential/softmax_short-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

template <std::size_t kVectors, class Storage, class D>
HWY_INLINE hn::Vec<D> short_load(D d, const typename Storage::Cell* x, std::size_t j, std::size_t length) {
  const std::size_t lanes = hn::Lanes(d), i = j * lanes;
  if (HWY_LIKELY(j + 1 < kVectors || i + lanes == length)) return Storage::load(d, x + i);
  return Storage::load_first(d, x + i, std::min(length - i, lanes));  // std::min only quiets a compiler's warning
}

// Lane by lane the largest of a row.
template <std::size_t kVectors, class Storage, class D>
HWY_INLINE hn::Vec<D> short_largest(D d, const typename Storage::Cell* x, std::size_t length) {
  auto largest = short_load<kVectors, Storage>(d, x, 0, length);
  for (std::size_t j = 1; j < kVectors; ++j) largest = hn::Max(largest, short_load<kVectors, Storage>(d, x, j, length));
  return largest;
}

template <std::size_t kVectors, class D, class Storage>
HWY_INLINE void short_shifts(D d, const Scale<float>& scale, ShortKind kind, const ShortRowsOf<Storage>& rows,
                             ShortShifts& shifts) {
  using Limits = FormatLimits<float>;
  HWY_ALIGN float units[kShortRows], rates[kShortRows];
  for (std::size_t r = 0; kind.own && r < in_fours(rows.count); ++r) {
    units[r] = rows.scales[r]->near_temperature;
    rates[r] = rows.scales[r]->near_rate;
  }
  const auto reach = hn::Set(d, static_cast<float>(Limits::reach)), ln2 = hn::Set(d, 0x1.62e430p-1f);
  const auto span = hn::Set(d, static_cast<float>(Limits::span));
  const auto round_bit = hn::Set(d, 0x1.8p23f), zero = hn::Zero(d);
  const auto base = hn::Set(d, 0x1.8p23f + static_cast<float>(Limits::largest + Limits::headroom));
  const hn::Full128<float> four;
  auto unit = hn::Set(d, scale.near_temperature), rate = hn::Set(d, scale.near_rate);  // those of T = 1 where T is
  auto fit = hn::Eq(base, base), near = fit;
  for (std::size_t r = 0; r < rows.count; r += 4) {
    if (kind.own) {
      unit = hn::LoadDup128(d, units + r);
      rate = hn::LoadDup128(d, rates + r);
    }
    hn::Vec<D> each[4];
    for (std::size_t k = 0; k < 4; ++k) each[k] = short_largest<kVectors, Storage>(d, rows.x[r + k], rows.length);
    auto largest = four_largest(d, each[0], each[1], each[2], each[3]);
    fit = hn::And(fit, hn::Le(hn::Abs(largest), hn::Set(d, std::numeric_limits<float>::max())));
    hn::Store(first_four(largest), four, shifts.largest + r);
    if (kind.zero) largest = hn::Max(largest, zero);
    const auto within = hn::Le(hn::Abs(largest), hn::Mul(reach, unit));
    near = hn::And(near, within);
    hn::Store(first_four(hn::IfThenElse(within, zero, largest)), four, shifts.subtract + r);
    const auto peak = hn::IfThenElseZero(within, largest);
    const auto n = hn::Sub(hn::MulAdd(peak, rate, round_bit), round_bit);
    const auto magic = hn::Sub(base, n), floor = hn::Mul(hn::Sub(n, span), hn::Mul(unit, ln2));
    hn::Store(first_four(magic), four, shifts.magic + r);
    hn::Store(first_four(floor), four, shifts.floor + r);
    if (kind.zero) {  // below the floor its weight is less than 2^-180
      const hn::RebindToUnsigned<D> bits;
      const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, magic)));
      const auto counts = hn::And(within, hn::Le(floor, zero));
      hn::Store(first_four(hn::IfThenElseZero(counts, power)), four, shifts.zero + r);
    }
  }
  shifts.fit = hn::AllTrue(d, fit);
  shifts.near = hn::AllTrue(d, near);
}

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
