// Rows in double whatever their type: loads, stores, what a first look at a row tells, and pairs of doubles. A kernel of
// f32 that works in double rounds once, at its store; pairs carry what double itself would round off. Error-free sums
// and products: Knuth (TAOCP 2, 4.2.2), Dekker (Numer. Math. 18, 1971); pairs: Joldes, Muller, Popescu (ACM TOMS 44, 2017).
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
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {
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

// high + low, |low| <= ulp(high) / 2.
struct Pair {
  V high, low;
};

// Exact where |a| >= |b| or a = 0; else off by an ulp of the low part at most.
HWY_INLINE Pair fast_sum(V a, V b) {
  const V high = hn::Add(a, b);
  return {high, hn::Sub(b, hn::Sub(high, a))};
}

HWY_INLINE Pair exact_sum(V a, V b) {
  const V high = hn::Add(a, b), part = hn::Sub(high, a);
  return {high, hn::Add(hn::Sub(a, hn::Sub(high, part)), hn::Sub(b, part))};
}

HWY_INLINE V upper_half(V v) {
  const V moved = hn::Mul(v, set(0x1.0000002p27));
  return hn::Sub(moved, hn::Sub(moved, v));
}

// Exact for factors below 2^996 and products that are 0 or above 2^-960.
HWY_INLINE Pair exact_product(V a, V b) {
  const V high = hn::Mul(a, b);
#if HWY_NATIVE_FMA
  return {high, hn::MulSub(a, b, high)};
#else
  const V a1 = upper_half(a), a2 = hn::Sub(a, a1), b1 = upper_half(b), b2 = hn::Sub(b, b1);
  const V crossed = hn::Add(hn::Add(hn::Sub(hn::Mul(a1, b1), high), hn::Mul(a1, b2)), hn::Mul(a2, b1));
  return {high, hn::Add(crossed, hn::Mul(a2, b2))};
#endif
}

// Relative error at most 3 u^2 / (1 - 4 u), u = 2^-53 (AccurateDWPlusDW), also where the terms cancel.
HWY_INLINE Pair add(const Pair& a, const Pair& b) {
  const Pair high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const Pair sum = fast_sum(high.high, hn::Add(high.low, low.high));
  return fast_sum(sum.high, hn::Add(low.low, sum.low));
}

// Relative error at most 7 u^2 (DWTimesDW1).
HWY_INLINE Pair multiply(const Pair& a, const Pair& b) {
  const Pair product = exact_product(a.high, b.high);
  const V crossed = hn::Add(hn::Mul(a.high, b.low), hn::Mul(a.low, b.high));
  return fast_sum(product.high, hn::Add(product.low, crossed));
}

// (a + low) / b with b within 2^+-60: relative error at most 8 u^2 for |low| <= 2 u |a|.
HWY_INLINE Pair quotient(V a, V low, V b) {
  const V high = hn::Div(a, b);
  const Pair product = exact_product(high, b);
  const V rest = hn::Add(hn::Sub(hn::Sub(a, product.high), product.low), low);
  return fast_sum(high, hn::Div(rest, b));
}

// 2^n for integers n in [-1022, 1023].
HWY_INLINE V power_of_two(V n) {
  const hn::RebindToUnsigned<D> bits;
  return hn::BitCast(D(), hn::ShiftLeft<52>(hn::BitCast(bits, hn::Add(n, set(0x1.8p52 + 1023)))));
}

}  // namespace wide
}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
