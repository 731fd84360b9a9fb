#include "properties/conformance/double_double/row_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "properties/conformance/double_double/logarithm_pass.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "properties/conformance/double_double/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

template <bool kUnit, class D>
HWY_INLINE void write(D d, const LogarithmPass& pass, std::size_t i, hn::Vec<D> z) {
  using V = hn::Vec<D>;
  const auto absent = hn::Eq(z, hn::Set(d, -infinity<double>));
  const VectorPair<V> x = scaled_difference<kUnit>(
      d, z, hn::Set(d, pass.pivot), VectorPair<V>{hn::Set(d, pass.factor.high), hn::Set(d, pass.factor.low)});
  const V unit = hn::Set(d, pass.unit);
  const VectorPair<V> value = add(VectorPair<V>{hn::Mul(x.high, unit), hn::Mul(x.low, unit)},
                                  VectorPair<V>{hn::Set(d, pass.shift.high), hn::Set(d, pass.shift.low)});
  const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
  hn::StoreU(hn::IfThenElse(absent, nan, value.high), d, pass.high + i);
  hn::StoreU(value.low, d, pass.low + i);
}

template <bool kUnit, class T>
HWY_INLINE void row(const LogarithmPass& pass, const T* logits) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= pass.length; i += lanes) write<kUnit>(d, pass, i, widened(d, logits + i));
  if (i < pass.length) write<kUnit>(d, pass, i, widened_part(d, logits + i, pass.length - i, -infinity<T>));
}

template <class T>
HWY_INLINE void rows(const LogarithmPass& pass, const T* logits) {
  if (pass.factor.high == 1 && pass.factor.low == 0) row<true>(pass, logits);
  else row<false>(pass, logits);
}

void logarithms_f32(const LogarithmPass& pass, const float* logits) { rows(pass, logits); }
void logarithms_f64(const LogarithmPass& pass, const double* logits) { rows(pass, logits); }

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_double {

HWY_EXPORT(logarithms_f32);
HWY_EXPORT(logarithms_f64);

void logarithms(const LogarithmPass& pass, const float* logits) { HWY_DYNAMIC_DISPATCH(logarithms_f32)(pass, logits); }
void logarithms(const LogarithmPass& pass, const double* logits) { HWY_DYNAMIC_DISPATCH(logarithms_f64)(pass, logits); }

}  // namespace attncert::double_double
#endif  // HWY_ONCE
