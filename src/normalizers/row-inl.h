// The verbs of a row, once per instruction set: loads and stores with tails, the largest logit, compensated sums.
#if defined(ATTNCERT_NORMALIZERS_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ROW_INL_H
#undef ATTNCERT_NORMALIZERS_ROW_INL_H
#else
#define ATTNCERT_NORMALIZERS_ROW_INL_H
#endif

#include <cstddef>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Lane = hn::TFromD<D>;

// The first `count` < lanes elements, -inf beyond: what no normalizer gives weight.
template <class D>
HWY_INLINE hn::Vec<D> load_tail(D d, const Lane<D>* x, std::size_t count) {
  constexpr Lane<D> absent = -std::numeric_limits<Lane<D>>::infinity();
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN Lane<D> buffer[HWY_MAX_BYTES / sizeof(Lane<D>)];
  hn::Store(hn::Set(d, absent), d, buffer);
  std::memcpy(buffer, x, count * sizeof(Lane<D>));
  return hn::Load(d, buffer);
#else
  const auto first = hn::FirstN(d, count);
  return hn::IfThenElse(first, hn::MaskedLoad(first, d, x), hn::Set(d, absent));
#endif
}

template <class D>
HWY_INLINE void store_tail(D d, hn::Vec<D> v, Lane<D>* y, std::size_t count) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN Lane<D> buffer[HWY_MAX_BYTES / sizeof(Lane<D>)];
  hn::Store(v, d, buffer);
  std::memcpy(y, buffer, count * sizeof(Lane<D>));
#else
  hn::BlendedStore(v, hn::FirstN(d, count), d, y);
#endif
}

// max(floor, x), but NaN where x is NaN. On x86 the vector instruction returns its second operand then; Highway's
// scalar Max returns the number, and other machines differ again.
template <class D>
HWY_INLINE hn::Vec<D> at_least(D, hn::Vec<D> floor, hn::Vec<D> x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return hn::Max(floor, x);
#else
  return hn::IfThenElse(hn::Lt(x, floor), floor, x);
#endif
}

// Highway 1.0.3's MaxOfLanes begins at the lowest finite number on EMU128, which is not the largest of all -inf.
template <class D>
HWY_INLINE Lane<D> largest_lane(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_EMU128
  HWY_ALIGN Lane<D> lanes[HWY_MAX_BYTES / sizeof(Lane<D>)];
  hn::Store(v, d, lanes);
  Lane<D> largest = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(d); ++i) largest = lanes[i] > largest ? lanes[i] : largest;
  return largest;
#else
  return hn::GetLane(hn::MaxOfLanes(d, v));
#endif
}

// The largest element; of a row with NaN any value (the caller sees NaN in its sum, or a value that is not finite).
template <class D>
HWY_INLINE Lane<D> row_largest(D d, const Lane<D>* x, std::size_t length) {
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::Set(d, -std::numeric_limits<Lane<D>>::infinity());
  auto b = a, c = a, e = a;
  std::size_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    a = hn::Max(a, hn::LoadU(d, x + i));
    b = hn::Max(b, hn::LoadU(d, x + i + lanes));
    c = hn::Max(c, hn::LoadU(d, x + i + 2 * lanes));
    e = hn::Max(e, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= length; i += lanes) a = hn::Max(a, hn::LoadU(d, x + i));
  if (i < length) b = hn::Max(b, load_tail(d, x + i, length - i));
  return largest_lane(d, hn::Max(hn::Max(a, b), hn::Max(c, e)));
}

// sum + rest: TwoSum keeps what every addition rounds off, lane by lane.
template <class D>
struct CompensatedSum {
  hn::Vec<D> sum, rest;

  explicit CompensatedSum(D d) : sum(hn::Zero(d)), rest(hn::Zero(d)) {}

  HWY_INLINE void add(hn::Vec<D> v) {
    // Not two_sum: through its struct of two vectors g++ 12 makes a row of 4096 on AVX2 a tenth slower.
    const auto total = hn::Add(sum, v);
    const auto part = hn::Sub(total, sum);
    rest = hn::Add(rest, hn::Add(hn::Sub(sum, hn::Sub(total, part)), hn::Sub(v, part)));
    sum = total;
  }
};

// The lanes of a compensated sum, added as an unevaluated sum of two doubles.
struct DoubleSum {
  double high = 0, low = 0;

  HWY_INLINE void add(double v) {
    const PairOf<double> total = two_sum(high, v);
    low += total.low;
    high = total.high;
  }
  HWY_INLINE void add(const DoubleSum& other) {
    add(other.high);
    low += other.low;
  }
};

// f32: 29 spare bits in double, so plain additions do.
template <class D, hwy::EnableIf<sizeof(Lane<D>) == 4>* = nullptr>
HWY_INLINE DoubleSum add_lanes(D, const CompensatedSum<D>& lanes) {
#if HWY_TARGET == HWY_SCALAR
  const hn::Rebind<double, D> wide;
  return {hn::GetLane(hn::Add(hn::PromoteTo(wide, lanes.sum), hn::PromoteTo(wide, lanes.rest))), 0};
#else
  const hn::Half<D> half;
  const hn::Rebind<double, decltype(half)> wide;
  const auto sums =
      hn::Add(hn::PromoteTo(wide, hn::LowerHalf(half, lanes.sum)), hn::PromoteTo(wide, hn::UpperHalf(half, lanes.sum)));
  const auto rests = hn::PromoteTo(wide, hn::LowerHalf(half, lanes.rest));
  const auto upper = hn::PromoteTo(wide, hn::UpperHalf(half, lanes.rest));
  return {hn::GetLane(hn::SumOfLanes(wide, hn::Add(sums, hn::Add(rests, upper)))), 0};
#endif
}

// f64: as an unevaluated sum of two doubles.
template <class D, hwy::EnableIf<sizeof(Lane<D>) == 8>* = nullptr>
HWY_INLINE DoubleSum add_lanes(D d, const CompensatedSum<D>& lanes) {
  HWY_ALIGN double sums[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(lanes.sum, d, sums);
  DoubleSum total;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) total.add(sums[i]);
  total.low += hn::GetLane(hn::SumOfLanes(d, lanes.rest));
  return total;
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
