// Square roots of a vector, once per instruction set.
#if defined(ATTNCERT_BOUNDS_ROOT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_BOUNDS_ROOT_INL_H
#undef ATTNCERT_BOUNDS_ROOT_INL_H
#else
#define ATTNCERT_BOUNDS_ROOT_INL_H
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sqrt(x), relative error at most 2 u, and about its reciprocal, relative error at most 2^-13; x a normal number.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V root(D d, V x, V& inverse) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    // vrsqrt14ps: relative error < 2^-14 (Intel's manual). One Newton step leaves 1.5 2^-28.
    const V half = hn::Set(d, 0.5f);
    inverse = hn::ApproximateReciprocalSqrt(x);
    const V first = hn::Mul(x, inverse);
    const V step = hn::NegMulAdd(first, hn::Mul(half, inverse), half);
    return hn::MulAdd(first, step, first);
  }
#endif
  const V result = hn::Sqrt(x);
  inverse = hn::Div(hn::Set(d, hn::TFromD<D>{1}), result);
  return result;
}

// The sum of both halves, in f64.
HWY_INLINE hn::Vec<hn::ScalableTag<double>> widened([[maybe_unused]] hn::ScalableTag<float> d,
                                                    hn::Vec<hn::ScalableTag<float>> v) {
  const hn::ScalableTag<double> d64;
#if HWY_TARGET == HWY_SCALAR
  return hn::PromoteTo(d64, v);
#else
  const hn::Half<hn::ScalableTag<float>> half;
  return hn::Add(hn::PromoteTo(d64, hn::LowerHalf(half, v)), hn::PromoteTo(d64, hn::UpperHalf(half, v)));
#endif
}
HWY_INLINE hn::Vec<hn::ScalableTag<double>> widened(hn::ScalableTag<double>, hn::Vec<hn::ScalableTag<double>> v) {
  return v;
}

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
