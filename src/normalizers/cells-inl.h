// The places of a row, as templates take them: X, from which vectors are loaded, and Y, to which they are stored, are
// pointers to lanes, or stand for rows in a half format (half_row-inl.h). A cell is what one element is stored in.
#if defined(ATTNCERT_NORMALIZERS_CELLS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_CELLS_INL_H
#undef ATTNCERT_NORMALIZERS_CELLS_INL_H
#else
#define ATTNCERT_NORMALIZERS_CELLS_INL_H
#endif

#include <cstddef>
#include <type_traits>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
HWY_INLINE T* cells(T* x) {
  return x;
}

template <class X>
using Cell = std::remove_cvref_t<decltype(*cells(std::declval<X>()))>;

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const Lane<D>* x) {
  return hn::LoadU(d, x);
}

// Vectors to y, which is aligned if kStream: past the caches then. The values do not depend on it.
template <bool kStream, class D>
HWY_INLINE void put(D d, hn::Vec<D> v, Lane<D>* y) {
  kStream ? hn::Stream(v, d, y) : hn::StoreU(v, d, y);
}

// Two, side by side.
template <bool kStream, class D>
HWY_INLINE void put_pair(D d, hn::Vec<D> v, hn::Vec<D> w, Lane<D>* y) {
  put<kStream>(d, v, y);
  put<kStream>(d, w, y + hn::Lanes(d));
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
