// What every pass does with a vector of columns at the ends of a block, once per instruction set: e of the block's
// beginning, and the change of c behind it.
#if defined(ATTNCERT_BOUNDS_EXCESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_BOUNDS_EXCESS_INL_H
#undef ATTNCERT_BOUNDS_EXCESS_INL_H
#else
#define ATTNCERT_BOUNDS_EXCESS_INL_H
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "src/bounds/row_state.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V to_f64_add(D d, double* at, V v) {  // f64
  const V sum = hn::Add(hn::Load(d, at), v);
  hn::Store(sum, d, at);
  return sum;
}

// square + twice * product in f64, rounded to T once.
HWY_INLINE hn::Vec<hn::ScalableTag<double>> first_excess(hn::ScalableTag<double> d, const double* square,
                                                         const double* product,
                                                         hn::Vec<hn::ScalableTag<double>> twice) {
  return hn::MulAdd(twice, hn::Load(d, product), hn::Load(d, square));
}

// A vector of floats as its halves in f64, and back: on one-lane targets there is no upper half.
template <class D>
HWY_INLINE hn::Vec<D> rounded_excess(D d, const Columns<float>& columns, std::size_t i, hn::Vec<D> twice) {
  const hn::ScalableTag<double> d64;
#if HWY_TARGET == HWY_SCALAR
  return hn::DemoteTo(
      d, first_excess(d64, columns.square.get() + i, columns.product.get() + i, hn::PromoteTo(d64, twice)));
#else
  const hn::Half<D> half;
  const std::size_t lanes = hn::Lanes(d64);
  const auto low = first_excess(d64, columns.square.get() + i, columns.product.get() + i,
                                hn::PromoteTo(d64, hn::LowerHalf(half, twice)));
  const auto high = first_excess(d64, columns.square.get() + i + lanes, columns.product.get() + i + lanes,
                                 hn::PromoteTo(d64, hn::UpperHalf(half, twice)));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}
template <class D>
HWY_INLINE hn::Vec<D> rounded_excess(D d, const Columns<double>& columns, std::size_t i, hn::Vec<D> twice) {
  return first_excess(d, columns.square.get() + i, columns.product.get() + i, twice);
}

template <class D>
HWY_INLINE void add_change([[maybe_unused]] D d, Columns<float>& columns, std::size_t i, hn::Vec<D> change) {
  const hn::ScalableTag<double> d64;
#if HWY_TARGET == HWY_SCALAR
  to_f64_add(d64, columns.product.get() + i, hn::PromoteTo(d64, change));
#else
  const hn::Half<D> half;
  to_f64_add(d64, columns.product.get() + i, hn::PromoteTo(d64, hn::LowerHalf(half, change)));
  to_f64_add(d64, columns.product.get() + i + hn::Lanes(d64), hn::PromoteTo(d64, hn::UpperHalf(half, change)));
#endif
}
template <class D>
HWY_INLINE void add_change(D d, Columns<double>& columns, std::size_t i, hn::Vec<D> change) {
  to_f64_add(d, columns.product.get() + i, change);
}

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
