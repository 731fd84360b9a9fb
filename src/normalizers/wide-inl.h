// Rows in double whatever their type: loads, stores, what a first look at a row tells, and pairs of doubles. A kernel
// of f32 that works in double rounds once, at its store; pairs carry what double itself would round off (Joldes,
// Muller, Popescu, ACM TOMS 44, 2017).
#if defined(ATTNCERT_NORMALIZERS_WIDE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_WIDE_INL_H
#undef ATTNCERT_NORMALIZERS_WIDE_INL_H
#else
#define ATTNCERT_NORMALIZERS_WIDE_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/pairs-inl.h"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace wide {

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

HWY_INLINE V set(double value) { return hn::Set(D(), value); }

HWY_INLINE V load(const double* x) { return hn::LoadU(D(), x); }
HWY_INLINE V load(const float* x) { return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), x)); }

// The first `count` elements, -inf beyond.
template <class T>
HWY_INLINE V load(const T* x, std::size_t count) {
  if (HWY_LIKELY(count >= hn::Lanes(D()))) return load(x);
  T buffer[HWY_MAX_BYTES / sizeof(double)];
  std::fill(buffer, buffer + hn::Lanes(D()), -std::numeric_limits<T>::infinity());
  std::memcpy(buffer, x, count * sizeof(T));
  return load(buffer);
}

HWY_INLINE void store(V v, double* y) { hn::StoreU(v, D(), y); }
HWY_INLINE void store(V v, float* y) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128  // there DemoteTo turns infinity into the largest float
  constexpr double beyond = 0x1.ffffffp127;               // from here on nearest is infinity
  HWY_ALIGN double lanes[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(v, D(), lanes);
  for (std::size_t i = 0; i < hn::Lanes(D()); ++i) {
    y[i] = static_cast<float>(std::abs(lanes[i]) >= beyond ? std::copysign(kInfinity, lanes[i]) : lanes[i]);
  }
#else
  const hn::Rebind<float, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, v), narrow, y);
#endif
}

template <class T>
HWY_INLINE void store(V v, T* y, std::size_t count) {
  if (HWY_LIKELY(count >= hn::Lanes(D()))) return store(v, y);
  T buffer[HWY_MAX_BYTES / sizeof(double)];
  store(v, buffer);
  std::memcpy(y, buffer, count * sizeof(T));
}

// What the first look at a row tells; with NaN in the row the other two mean nothing.
struct Census {
  double largest, smallest;  // smallest above -inf
  bool nan;
};

template <class T>
HWY_INLINE Census census(const T* x, std::size_t length) {
  const V absent = set(-kInfinity), none = set(kInfinity);
  V most = absent, least = none;
  auto nan = hn::FirstN(D(), 0);
  for (std::size_t i = 0; i < length; i += hn::Lanes(D())) {
    const V v = load(x + i, length - i);
    nan = hn::Or(nan, hn::Not(hn::Eq(v, v)));  // Ne(NaN, NaN) is false on AVX2 and AVX3 (Highway 1.0.3)
    most = hn::Max(most, v);
    least = hn::Min(least, hn::IfThenElse(hn::Eq(v, absent), none, v));
  }
  return {largest_lane(D(), most), -largest_lane(D(), hn::Neg(least)), !hn::AllFalse(D(), nan)};
}

using Pair = PairOf<V>;

// Relative error at most 3 u^2 / (1 - 4 u), u = 2^-53 (AccurateDWPlusDW), also where the terms cancel.
HWY_INLINE Pair add(const Pair& a, const Pair& b) {
  const Pair high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
  const Pair sum = fast_two_sum(high.high, hn::Add(high.low, low.high));
  return fast_two_sum(sum.high, hn::Add(low.low, sum.low));
}

// Relative error at most 7 u^2 (DWTimesDW1).
HWY_INLINE Pair multiply(const Pair& a, const Pair& b) {
  const Pair product = two_product(a.high, b.high);
  const V crossed = hn::Add(hn::Mul(a.high, b.low), hn::Mul(a.low, b.high));
  return fast_two_sum(product.high, hn::Add(product.low, crossed));
}

// (a + low) / b with b within 2^+-60: relative error at most 8 u^2 for |low| <= 2 u |a|.
HWY_INLINE Pair quotient(V a, V low, V b) {
  const V high = hn::Div(a, b);
  const Pair product = two_product(high, b);
  const V rest = hn::Add(hn::Sub(hn::Sub(a, product.high), product.low), low);
  return fast_two_sum(high, hn::Div(rest, b));
}

// 2^n for integers n in [-1022, 1023].
HWY_INLINE V power_of_two(V n) {
  const hn::RebindToUnsigned<D> bits;
  return hn::BitCast(D(), hn::ShiftLeft<52>(hn::BitCast(bits, hn::Add(n, set(0x1.8p52 + 1023)))));
}

}  // namespace wide
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
