// Error-free transformations on vectors, once per instruction set. two_product: by FMA, or by Dekker's splitting where
// the instruction set has none (Numer. Math. 18, 1971), exact for |a|, |b| < 2^996 and products that do not underflow.
#if defined(ATTNCERT_DOUBLE_DOUBLE_ARITHMETIC_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_DOUBLE_DOUBLE_ARITHMETIC_INL_H
#undef ATTNCERT_DOUBLE_DOUBLE_ARITHMETIC_INL_H
#else
#define ATTNCERT_DOUBLE_DOUBLE_ARITHMETIC_INL_H
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct VectorPair {
  V high, low;
};

template <class V>
HWY_INLINE VectorPair<V> two_sum(V a, V b) {
  const V s = hn::Add(a, b), part = hn::Sub(s, a);
  return {s, hn::Add(hn::Sub(a, hn::Sub(s, part)), hn::Sub(b, part))};
}

// Exact where |a| >= |b|, lane by lane.
template <class V>
HWY_INLINE VectorPair<V> fast_two_sum(V a, V b) {
  const V s = hn::Add(a, b);
  return {s, hn::Sub(b, hn::Sub(s, a))};
}

#if HWY_NATIVE_FMA
template <class D, class V = hn::Vec<D>>
HWY_INLINE VectorPair<V> two_product(D, V a, V b) {
  const V p = hn::Mul(a, b);
  return {p, hn::MulSub(a, b, p)};
}
#else
template <class D, class V = hn::Vec<D>>
HWY_INLINE VectorPair<V> split(D d, V a) {
  const V c = hn::Mul(a, hn::Set(d, 0x1p27 + 1)), high = hn::Sub(c, hn::Sub(c, a));
  return {high, hn::Sub(a, high)};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE VectorPair<V> two_product(D d, V a, V b) {
  const V p = hn::Mul(a, b);
  const VectorPair<V> x = split(d, a), y = split(d, b);
  V rest = hn::Sub(hn::Mul(x.high, y.high), p);
  rest = hn::Add(rest, hn::Mul(x.high, y.low));
  rest = hn::Add(rest, hn::Mul(x.low, y.high));
  return {p, hn::Add(rest, hn::Mul(x.low, y.low))};
}
#endif

// a b without a.low b.low; not normalised. docs/double-double.md, 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE VectorPair<V> multiply(D d, VectorPair<V> a, VectorPair<V> b) {
  VectorPair<V> p = two_product(d, a.high, b.high);
  p.low = hn::MulAdd(a.high, b.low, p.low);
  p.low = hn::MulAdd(a.low, b.high, p.low);
  return p;
}

// a + b, normalised.
template <class V>
HWY_INLINE VectorPair<V> add(VectorPair<V> a, VectorPair<V> b) {
  const VectorPair<V> s = two_sum(a.high, b.high);
  return fast_two_sum(s.high, hn::Add(s.low, hn::Add(a.low, b.low)));
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
