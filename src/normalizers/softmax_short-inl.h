// f32 rows of at most four vectors, sixteen at a time: the reductions of four rows share one transposition, and none
// waits for another's. A row gets the same bits in any company.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/softmax_pass-inl.h"
#include "src/normalizers/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Four rows' largest logits: largest of all lanes of a, of b, of c, of e, in lanes 0 to 3.
template <class D>
HWY_INLINE hn::Vec<D> four_largest(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> e) {
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto ab = hn::BitCast(pairs, hn::Max(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  const auto ce = hn::BitCast(pairs, hn::Max(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e)));
  auto all =
      hn::Max(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)));
  if (sizeof(hn::Vec<D>) >= 32) all = hn::Max(all, hn::ReverseBlocks(d, all));
  if (sizeof(hn::Vec<D>) == 64) all = hn::Max(all, hn::ConcatLowerUpper(d, all, all));
  return all;
}

HWY_INLINE hn::Vec<hn::Full128<float>> first_four(hn::Vec<hn::ScalableTag<float>> v) {
#if HWY_TARGET == HWY_AVX3
  const hn::Half<hn::ScalableTag<float>> half;
  return hn::LowerHalf(hn::Half<decltype(half)>(), hn::LowerHalf(half, v));
#elif HWY_TARGET == HWY_AVX2
  return hn::LowerHalf(hn::Half<hn::ScalableTag<float>>(), v);
#else
  return v;
#endif
}

// The sum of all lanes in double: two roundings of f32 lie behind v (a sum of four), none is added here.
template <class D>
HWY_INLINE auto promoted_halves(D, hn::Vec<D> v) {
  const hn::Half<D> half;
  const hn::Rebind<double, decltype(half)> wide;
  return hn::Add(hn::PromoteTo(wide, hn::LowerHalf(half, v)), hn::PromoteTo(wide, hn::UpperHalf(half, v)));
}

// Where lane r of a row's four sums stands among the lanes that four_reciprocals stores.
constexpr std::size_t kSumLane[4] = {0, 1, HWY_TARGET == HWY_AVX3 ? 4 : 2, HWY_TARGET == HWY_AVX3 ? 5 : 3};

template <class W>
HWY_INLINE void store_reciprocals(W w, hn::Vec<W> sums, float* head, float* tail) {
  const hn::Rebind<float, W> narrow;
  const auto inverse = hn::Div(hn::Set(w, 1.0), sums);
  const auto rounded = hn::DemoteTo(narrow, inverse);
  hn::StoreU(rounded, narrow, head);
  hn::StoreU(hn::DemoteTo(narrow, hn::Sub(inverse, hn::PromoteTo(w, rounded))), narrow, tail);
}

// 1 / (sum of all lanes of v[r]), as head and tail at kSumLane[r].
template <class W>
HWY_INLINE void four_reciprocals(W w, const hn::Vec<W>* v, float* head, float* tail) {
  const auto ab = hn::Add(hn::InterleaveLower(w, v[0], v[1]), hn::InterleaveUpper(w, v[0], v[1]));
  const auto ce = hn::Add(hn::InterleaveLower(w, v[2], v[3]), hn::InterleaveUpper(w, v[2], v[3]));
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  auto sums = hn::Add(hn::ConcatLowerLower(w, ce, ab), hn::ConcatUpperUpper(w, ce, ab));
#if HWY_TARGET == HWY_AVX3
  sums = hn::Add(sums, hn::SwapAdjacentBlocks(sums));
#endif
  store_reciprocals(w, sums, head, tail);
#else
  store_reciprocals(w, ab, head, tail);
  store_reciprocals(w, ce, head + 2, tail + 2);
#endif
}

constexpr std::size_t kShortRows =
    16;  // a multiple of 4; each step for all of them, so that none waits for its reductions

struct ShortRows {
  const float* x[kShortRows];
  float* y[kShortRows];
  std::size_t count;  // a multiple of 4
  std::size_t length;
  bool past_caches;  // y is aligned and whole vectors long
};

template <std::size_t kVectors, class D>
HWY_INLINE hn::Vec<D> short_load(D d, const float* x, std::size_t j, std::size_t length) {
  const std::size_t lanes = hn::Lanes(d), i = j * lanes;
  if (HWY_LIKELY(j + 1 < kVectors || i + lanes == length)) return hn::LoadU(d, x + i);
  return load_tail(d, x + i, std::min(length - i, lanes));  // the least is for the compiler's eyes
}

// The sum of the vectors of one row; order as in `exponentials`, two roundings at most.
template <std::size_t kVectors, class D>
HWY_INLINE hn::Vec<D> short_sum(const hn::Vec<D>* e) {
  if constexpr (kVectors == 1) return e[0];
  if constexpr (kVectors == 2) return hn::Add(e[0], e[1]);
  if constexpr (kVectors == 3) return hn::Add(hn::Add(e[0], e[1]), e[2]);
  if constexpr (kVectors == 4) return hn::Add(hn::Add(e[0], e[1]), hn::Add(e[2], e[3]));
}

template <std::size_t kVectors, class D>
HWY_INLINE hn::Vec<D> short_largest(D d, const float* x, std::size_t length) {
  auto largest = short_load<kVectors>(d, x, 0, length);
  for (std::size_t j = 1; j < kVectors; ++j) largest = hn::Max(largest, short_load<kVectors>(d, x, j, length));
  return largest;
}

// What the exponentials of a row need, and its reciprocal.
struct ShortShifts {
  HWY_ALIGN float largest[kShortRows], magic[kShortRows], floor[kShortRows];
  bool fit;  // no row must subtract
};

template <std::size_t kVectors, bool kUnit, class D>
HWY_INLINE void short_shifts(D d, const Scale<float>& scale, const ShortRows& rows, ShortShifts& shifts) {
  using Limits = FormatLimits<float>;
  const float unit = kUnit ? 1.0f : scale.near_temperature;
  const auto reach = hn::Set(d, static_cast<float>(Limits::reach) * unit);
  const auto depth = hn::Set(d, static_cast<float>(Limits::depth) * unit);
  const auto round_bit = hn::Set(d, 0x1.8p23f), rate = hn::Set(d, kUnit ? scale.rate : scale.near_rate);
  const auto base = hn::Set(d, 0x1.8p23f + static_cast<float>(Limits::largest + Limits::headroom));
  const hn::Full128<float> four;
  auto fit = hn::Eq(base, base);
  for (std::size_t r = 0; r < rows.count; r += 4) {
    auto largest = four_largest(
        d, short_largest<kVectors>(d, rows.x[r], rows.length), short_largest<kVectors>(d, rows.x[r + 1], rows.length),
        short_largest<kVectors>(d, rows.x[r + 2], rows.length), short_largest<kVectors>(d, rows.x[r + 3], rows.length));
    fit = hn::And(fit, hn::Le(hn::Abs(largest), reach));
    hn::Store(first_four(largest), four, shifts.largest + r);
    const auto n = hn::Sub(hn::MulAdd(largest, rate, round_bit), round_bit);
    hn::Store(first_four(hn::Sub(base, n)), four, shifts.magic + r);
    hn::Store(first_four(hn::Sub(largest, depth)), four, shifts.floor + r);
  }
  shifts.fit = hn::AllTrue(d, fit);
}

template <std::size_t kVectors, class D>
HWY_INLINE void see_row(Shallow<D>& shallow, const hn::Vec<D> (&e)[kVectors], std::size_t in_last) {
  for (std::size_t j = 0; j + 1 < kVectors; ++j) shallow.see(e[j]);
  shallow.see(e[kVectors - 1], in_last);
}

template <std::size_t kVectors, class D>
HWY_INLINE bool short_deep(D d, const float* e, std::size_t in_last) {
  Shallow<D> shallow(d);
  hn::Vec<D> v[kVectors];
  for (std::size_t j = 0; j < kVectors; ++j) v[j] = hn::Load(d, e + j * hn::Lanes(d));
  see_row<kVectors>(shallow, v, in_last);
  return shallow.deep();
}

template <std::size_t kVectors, class D, class By>
HWY_INLINE void short_store(D d, const By& times, const float* e, const ShortRows& rows, std::size_t r) {
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t j = 0; j < kVectors; ++j) {
    const auto weights = times(hn::Load(d, e + j * lanes));
    float* const y = rows.y[r] + j * lanes;
    if (rows.past_caches) {
      hn::Stream(weights, d, y);
    } else if (HWY_LIKELY(j + 1 < kVectors || (j + 1) * lanes == rows.length)) {
      hn::StoreU(weights, d, y);
    } else {
      store_tail(d, weights, y, std::min(rows.length - j * lanes, lanes));
    }
  }
}

// False, and nothing written, unless no row must subtract.
template <std::size_t kVectors, bool kUnit, class D>
HWY_INLINE bool short_block(D d, const Scale<float>& scale, const ShortRows& rows, ShortShifts& shifts) {
  const std::size_t lanes = hn::Lanes(d);
  short_shifts<kVectors, kUnit>(d, scale, rows, shifts);
  if (HWY_UNLIKELY(!shifts.fit)) return false;
  const hn::Half<D> half;
  const hn::Rebind<double, decltype(half)> wide;
  HWY_ALIGN float e[kShortRows * kVectors * HWY_MAX_BYTES / sizeof(float)];
  HWY_ALIGN double sums[kShortRows * HWY_MAX_BYTES / sizeof(double)];
  const std::size_t in_last = rows.length - (kVectors - 1) * lanes;
  Shallow<D> shallow(d);
  for (std::size_t r = 0; r < rows.count; ++r) {
    RowShift<float> shift{};
    shift.magic = shifts.magic[r];
    shift.floor = shift.near_floor = shifts.floor[r];
    const RowExp<D, kUnit, !kUnit> exp(d, scale, shift);
    hn::Vec<D> v[kVectors];
    for (std::size_t j = 0; j < kVectors; ++j) v[j] = short_load<kVectors>(d, rows.x[r], j, rows.length);
    exp.all(v);
    for (std::size_t j = 0; j < kVectors; ++j) hn::Store(v[j], d, e + (r * kVectors + j) * lanes);
    see_row<kVectors>(shallow, v, in_last);
    hn::Store(promoted_halves(d, short_sum<kVectors, D>(v)), wide, sums + r * hn::Lanes(wide));
  }
  HWY_ALIGN float head[kShortRows / 4][8], tail[kShortRows / 4][8];
  for (std::size_t g = 0; g < rows.count / 4; ++g) {
    hn::Vec<decltype(wide)> four[4];
    for (std::size_t r = 0; r < 4; ++r) four[r] = hn::Load(wide, sums + (4 * g + r) * hn::Lanes(wide));
    four_reciprocals(wide, four, head[g], tail[g]);
  }
  const bool some_deep = shallow.deep();
  for (std::size_t r = 0; r < rows.count; ++r) {
    const Reciprocal<float> by{head[r / 4][kSumLane[r % 4]], tail[r / 4][kSumLane[r % 4]]};
    const float* row = e + r * kVectors * lanes;
    const bool deep = HWY_UNLIKELY(some_deep) && short_deep<kVectors>(d, row, in_last);
    with_times(d, by, deep, [&](const auto& times) HWY_ATTR { short_store<kVectors>(d, times, row, rows, r); });
  }
  return true;
}

template <bool kUnit, class D>
HWY_INLINE bool short_block(D d, const Scale<float>& scale, const ShortRows& rows, ShortShifts& shifts) {
  switch ((rows.length + hn::Lanes(d) - 1) / hn::Lanes(d)) {
    case 1:
      return short_block<1, kUnit>(d, scale, rows, shifts);
    case 2:
      return short_block<2, kUnit>(d, scale, rows, shifts);
    case 3:
      return short_block<3, kUnit>(d, scale, rows, shifts);
    default:
      return short_block<4, kUnit>(d, scale, rows, shifts);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
