// Logits of a row as vectors of double, and the first steps that every pass over them shares.
#if defined(ATTNCERT_DOUBLE_DOUBLE_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_DOUBLE_DOUBLE_ROW_INL_H
#undef ATTNCERT_DOUBLE_DOUBLE_ROW_INL_H
#else
#define ATTNCERT_DOUBLE_DOUBLE_ROW_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "properties/conformance/double_double/double_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class D>
HWY_INLINE hn::Vec<D> widened(D d, const double* x) {
  return hn::LoadU(d, x);
}
template <class D>
HWY_INLINE hn::Vec<D> widened(D d, const float* x) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), x));
}

// The first `count` < lanes elements, `beyond` in the other lanes.
template <class D, class T>
HWY_INLINE hn::Vec<D> widened_part(D d, const T* x, std::size_t count, T beyond) {
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(double)];
  std::fill(buffer, buffer + hn::Lanes(d), beyond);
  std::memcpy(buffer, x, count * sizeof(T));
  return widened(d, buffer);
}

// (z - pivot) c; kUnit: c = 1. Normalised. docs/double-double.md, 1.
template <bool kUnit, class D, class V = hn::Vec<D>>
HWY_INLINE VectorPair<V> scaled_difference(D d, V z, V pivot, VectorPair<V> c) {
  VectorPair<V> x = two_sum(z, hn::Neg(pivot));
  if constexpr (!kUnit) {
    x = multiply(d, x, c);
    x = fast_two_sum(x.high, x.low);
  }
  return x;
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
