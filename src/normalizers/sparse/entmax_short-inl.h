// The supports of short rows of f32 for b = 1 and 2, a row in each lane: what one row waits for (its largest logit, its
// sums, a root, a quotient) is waited for once for all of them. What a row gets never depends on the others.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_SHORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_SHORT_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_SHORT_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_SHORT_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/cells-inl.h"
#include "src/normalizers/exponential/short_sums-inl.h"
#include "src/normalizers/sparse/entmax_compress-inl.h"
#include "src/normalizers/sparse/entmax_gap-inl.h"
#include "src/normalizers/sparse/entmax_support-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

constexpr std::size_t kShortSparse = 256;   // beyond it, a row's own work is more than what it waits for
constexpr std::size_t kSlots = 16;          // candidates of a row
constexpr double kFewError = 26 * 0x1p-53;  // of sums of so many terms: that of cut_sums

// The root of a set about t, lane by lane, as `shift_of` has it for one row, and the error of it.
struct ShiftV {
  DoubleV by, error;
};
HWY_INLINE ShiftV shift_of(const LinearPower&, double temperature, DoubleV first, DoubleV, DoubleV count) {
  const Doubles d;
  const DoubleV one = hn::Div(hn::Set(d, 1.0), count);
  return {hn::Mul(hn::Sub(first, hn::Set(d, temperature)), one),
          hn::Mul(hn::Mul(hn::Set(d, 2 * kFewError), first), one)};
}
HWY_INLINE ShiftV shift_of(const SquarePower&, double temperature, DoubleV first, DoubleV second, DoubleV count) {
  const Doubles d;
  const DoubleV over = hn::Sub(second, hn::Set(d, 4 * temperature * temperature));
  const DoubleV square = hn::Sub(hn::Mul(first, first), hn::Mul(count, over));
  const DoubleV left = hn::Sqrt(hn::Max(square, hn::Zero(d))), by = hn::Div(over, hn::Add(first, left));
  const DoubleV twice = hn::Mul(hn::Abs(by), hn::Add(first, first));
  const DoubleV moved = hn::Mul(hn::Set(d, kFewError), hn::Add(second, twice));
  const auto known = hn::Lt(hn::Mul(hn::Add(count, count), moved), square);
  return {by, hn::IfThenElse(known, hn::Div(moved, left), hn::Set(d, kNoBound))};
}

// As many rows as a vector has lanes.
class FewOf {
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;
  static constexpr std::size_t kRows = HWY_MAX_BYTES / sizeof(float);

 public:
  HWY_ALIGN float lowest[kRows];  // the smallest logit of each support
  HWY_ALIGN double gaps[kRows];   // and its distance from tau; 0: undecided

  // The candidates of the first `present` rows; logits(r): where a row begins.
  template <class Logits>
  HWY_INLINE void find(double reach, std::size_t length, std::size_t present, const Logits& logits) {
    const D d;
    const hn::Full128<float> four;
    std::uint32_t fit = 0;
    V most[4];
    for (std::size_t r = 0; r < hn::Lanes(d); r += 4) {
      for (std::size_t k = 0; k < 4; ++k) {
        most[k] = hn::Set(d, -std::numeric_limits<float>::infinity());
        if (r + k < present) fit |= static_cast<std::uint32_t>(look(logits(r + k), length, most[k])) << (r + k);
      }
      hn::Store(first_four(four_largest(d, most[0], most[1], most[2], most[3])), four, largest_ + r);
    }
    HWY_ALIGN float bounds[kRows];
    hn::Store(bounds_of(hn::Load(d, largest_), reach), d, bounds);
    const auto none = hn::Set(d, -std::numeric_limits<float>::infinity());
    count_ = 0;
    for (std::size_t r = 0; r < hn::Lanes(d); ++r) {
      float* const slots = slots_ + r * kStride;
      float* to = slots;
      if (r < present) keep(logits(r), length, hn::Set(d, bounds[r]), to);
      for (std::size_t k = 0; k < kSlots; k += hn::Lanes(d)) hn::StoreU(none, d, to + k);
      const std::size_t count = static_cast<std::size_t>(to - slots);
      const bool fits = (fit >> r & 1) != 0 && count <= kSlots;
      fits_[r] = fits ? 1 : 0;
      count_ = std::max(count_, fits ? count : 0);
    }
  }

  // From the logits in float: x is in the support iff sum over z > x of (z - x)^b < (b T)^b; then, in double, whether
  // the set found so is that of its own root.
  template <class Power>
  HWY_INLINE void settle(const Power& raise, double temperature) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const V none = hn::Set(d, -std::numeric_limits<float>::infinity()), zero = hn::Zero(d);
    HWY_ALIGN float c[kSlots * kRows];
    for (std::size_t i = 0; i < count_; i += 4) across(slots_ + i, c + i * lanes);
    const double most = 1 / raise.rate;
    const V t = hn::Max(outside(raise, c, most), hn::Sub(hn::Load(d, largest_), hn::Set(d, static_cast<float>(most))));
    V inside = hn::Set(d, std::numeric_limits<float>::infinity()), next = none, count = zero;
    for (std::size_t j = 0; j < count_; ++j) {
      const V x = hn::Load(d, c + j * lanes);
      const auto above = hn::Gt(x, t);
      inside = hn::IfThenElse(above, hn::Min(inside, x), inside);
      next = hn::Max(next, hn::IfThenElse(above, next, x));
      count = hn::Add(count, hn::IfThenElseZero(above, hn::Set(d, 1.0f)));
    }
    HWY_ALIGN float ts[kRows], nexts[kRows], counts[kRows];
    hn::Store(t, d, ts);
    hn::Store(inside, d, lowest);
    hn::Store(next, d, nexts);
    hn::Store(count, d, counts);
    for (std::size_t h = 0; h < lanes; h += hn::Lanes(Doubles())) {
      const DoubleV base = load_doubles(ts + h), size = load_doubles(counts + h);
      DoubleV first = hn::Zero(Doubles()), second = first;
      for (std::size_t j = 0; j < count_; ++j) {
        const DoubleV w = hn::Max(hn::Sub(load_doubles(c + j * lanes + h), base), hn::Zero(Doubles()));
        first = hn::Add(first, w);
        if (!Power::exponent_one) second = hn::MulAdd(w, w, second);
      }
      const ShiftV shift = shift_of(raise, temperature, first, second, size);
      const DoubleV gap =
          gap_of(shift, hn::Sub(load_doubles(lowest + h), base), hn::Sub(load_doubles(nexts + h), base));
      hn::Store(gap, Doubles(), gaps + h);
    }
    for (std::size_t r = 0; r < lanes; ++r) gaps[r] = fits_[r] != 0 ? gaps[r] : 0;
  }

 private:
  static constexpr std::size_t kStride = 2 * kSlots + kRows;  // a vector beyond the last, and -inf behind

  // Lane by lane the largest of a row. False: it holds NaN, or what adds up to it.
  template <class X>
  static HWY_INLINE bool look(X x, std::size_t length, V& most) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    V total = hn::Zero(d);
    std::size_t i = 0;
    for (; i + lanes <= length; i += lanes) {
      const V v = load(d, x + i);
      most = hn::Max(most, v);
      total = hn::Add(total, v);
    }
    if (i < length) {
      const V v = load_tail(d, x + i, length - i);
      most = hn::Max(most, v);
      total = hn::Add(total, v);
    }
    return hn::AllTrue(d, hn::Eq(total, total));
  }

  // No more than a vector beyond kSlots: the row does not fit then.
  template <class X>
  static HWY_INLINE void keep(X x, std::size_t length, V bound, float*& to) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const float* const full = to + kSlots;
    std::size_t i = 0;
    for (; i + lanes <= length && to <= full; i += lanes) keep_above(d, load(d, x + i), bound, to);
    if (i < length && to <= full) keep_above(d, load_tail(d, x + i, length - i), bound, to);
  }

  // candidate_bound, lane by lane. NaN, above which nothing is, of a row without a finite largest logit.
  static HWY_INLINE V bounds_of(V largest, double reach) {
    const D d;
    const Doubles dd;
    HWY_ALIGN float all[kRows];
    hn::Store(largest, d, all);
    const hn::Rebind<float, Doubles> narrow;
    for (std::size_t h = 0; h < hn::Lanes(d); h += hn::Lanes(dd)) {
      const DoubleV bound = hn::Sub(load_doubles(all + h), hn::Set(dd, reach));
      const DoubleV less = hn::MulAdd(hn::Abs(bound), hn::Set(dd, 0x1p-22), hn::Set(dd, 0x1p-148));
      hn::StoreU(hn::DemoteTo(narrow, hn::Sub(bound, less)), narrow, all + h);
    }
    const V bounds = hn::Load(d, all), least = hn::Set(d, -std::numeric_limits<float>::max());
    const V none = hn::Set(d, -std::numeric_limits<float>::infinity());
    return hn::IfThenElse(hn::Gt(bounds, least), bounds, none);
  }

  // Four candidates of every row, a row in each lane.
  static HWY_INLINE void across(const float* slots, float* columns) {
    const D d;
    const hn::Repartition<std::uint64_t, D> pairs;
    const V a = blocks(d, slots), b = blocks(d, slots + kStride);
    const V c = blocks(d, slots + 2 * kStride), e = blocks(d, slots + 3 * kStride);
    const auto ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b)),
               ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
    const auto later_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
    const auto later_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
    const std::size_t lanes = hn::Lanes(d);
    hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), d, columns);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)), d, columns + lanes);
    hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, later_ab, later_ce)), d, columns + 2 * lanes);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, later_ab, later_ce)), d, columns + 3 * lanes);
  }
  // Blocks of four lanes, from every fourth row.
  template <class Part>
  static HWY_INLINE hn::Vec<Part> blocks(Part d, const float* slots) {
    if constexpr (hn::MaxLanes(Part()) == 4) {
      return hn::LoadU(d, slots);
    } else {
      const hn::Half<Part> half;
      return hn::Combine(d, blocks(half, slots + hn::Lanes(half) * kStride), blocks(half, slots));
    }
  }

  // The largest logits outside.
  template <class Power>
  HWY_INLINE V outside(const Power& raise, const float* c, double most) const {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const V none = hn::Set(d, -std::numeric_limits<float>::infinity()), zero = hn::Zero(d);
    const V limit = hn::Set(d, static_cast<float>(Power::exponent_one ? most : most * most));
    V next = none;
    for (std::size_t i = 0; i < count_; ++i) {
      const V x = hn::Load(d, c + i * lanes);
      V a = zero, b = zero;
      for (std::size_t j = 0; j < count_; j += 2) {  // beyond the candidates -inf, which adds nothing
        a = add_power(raise, hn::Max(hn::Sub(hn::Load(d, c + j * lanes), x), zero), a);
        b = add_power(raise, hn::Max(hn::Sub(hn::Load(d, c + (j + 1) * lanes), x), zero), b);
      }
      next = hn::Max(next, hn::IfThenElse(hn::Lt(hn::Add(a, b), limit), none, x));
    }
    return next;
  }

  // The gap where the set is that of its root, and the error no more than the gap bears; else 0.
  static HWY_INLINE DoubleV gap_of(const ShiftV& shift, DoubleV rise, DoubleV next) {
    const Doubles d;
    const DoubleV gap = hn::Sub(rise, shift.by), below = hn::Sub(shift.by, next);
    const DoubleV error = hn::MulAdd(hn::Add(rise, hn::Abs(shift.by)), hn::Set(d, 0x1p-50), shift.error);
    const auto parted = hn::Gt(hn::Mul(below, hn::Set(d, 1 - 0x1p-50)), error);
    const auto exact = hn::Ge(hn::Mul(gap, hn::Set(d, kGapError<float>)), error);
    return hn::IfThenElseZero(hn::And(parted, exact), gap);
  }

  HWY_ALIGN float slots_[kRows * kStride];
  HWY_ALIGN float largest_[kRows];
  std::uint8_t fits_[kRows];
  std::size_t count_;  // the most candidates of a row that fits
};

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
