// The general separable normalizer: w_i = F(z_i) / sum_j F(z_j) for any F >= 0, as a template over F, in double
// whatever the type. A new one is a functor with four members (relu_normalized.cpp is the shortest example):
//   F(const Batch<T>&)           for one call;
//   bool prepare(const Census&)  for one row; false = the whole row is zero;
//   Term operator()(V z) const   F(z) up to a factor common to the row; the -inf lanes are cleared afterwards;
//   double divisor(const DoubleSum&) const   what the numerators are divided by, from the sum of the weights;
// and `static constexpr AtInfinity kAtInfinity`. A numerator that is not the weight makes it E-weighted:
// sa_softmax.cpp.
#if defined(ATTNCERT_NORMALIZERS_SEPARABLE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SEPARABLE_INL_H
#undef ATTNCERT_NORMALIZERS_SEPARABLE_INL_H
#else
#define ATTNCERT_NORMALIZERS_SEPARABLE_INL_H
#endif

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace wide {

// What a row with +inf gives: shares among these, NaN everywhere, or nothing special.
enum class AtInfinity { shares, undefined, ordinary };

struct Term {
  V numerator;     // rounded to double
  V weight, rest;  // weight + rest goes into the sum
};

HWY_INLINE Term term(const Pair& value) { return {value.high, value.high, value.low}; }

// Writes the numerators and returns the sum of the weights.
template <class F, class T>
HWY_INLINE DoubleSum numerators(const F& f, const T* x, double* work, std::size_t length) {
  CompensatedSum<D> sum{D()};
  const V absent = set(-kInfinity);
  for (std::size_t i = 0; i < length; i += hn::Lanes(D())) {
    const V z = load(x + i, length - i);
    const auto present = hn::Ne(z, absent);
    const Term t = f(z);
    sum.add(hn::IfThenElseZero(present, t.weight));
    sum.rest = hn::Add(sum.rest, hn::IfThenElseZero(present, t.rest));
    store(hn::IfThenElseZero(present, t.numerator), work + i, length - i);
  }
  return add_lanes(D(), sum);
}

// One division, so order is kept exactly.
template <class T>
HWY_INLINE void divide(const double* work, T* y, std::size_t length, double divisor) {
  const V by = set(divisor);
  for (std::size_t i = 0; i < length; i += hn::Lanes(D())) {
    store(hn::Div(load(work + i, length - i), by), y + i, length - i);
  }
}

template <class F, class T>
HWY_INLINE void separable_row(F& f, const T* x, T* y, double* work, std::size_t length) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const Census row = census(x, length);
  if (HWY_UNLIKELY(row.nan)) return fill(y, length, nan);
  if (HWY_UNLIKELY(row.largest == -kInfinity)) return fill(y, length, T(0));
  if (HWY_UNLIKELY(row.largest == kInfinity)) {
    if (F::kAtInfinity == AtInfinity::undefined) return fill(y, length, nan);
    if (F::kAtInfinity == AtInfinity::shares) {
      return write_degenerate_row(
          x, y, length, T(0), +[](double count) { return 1 / count; });
    }
  }
  if (!f.prepare(row)) return fill(y, length, T(0));
  if constexpr (requires { f.far(row); }) {  // a row that the two passes cannot serve
    if (HWY_UNLIKELY(f.far(row))) return f.write_far_row(row, x, y, length);
  }
  const DoubleSum sum = numerators(f, x, work, length);
  divide(work, y, length, f.divisor(sum));
}

// f64 keeps its numerators in the output, f32 in the scratch.
template <class F, class T>
HWY_INLINE void separable_rows(const Batch<T>& batch) {
  F f(batch);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    T* y = batch.output + row * batch.output_stride;
    if constexpr (sizeof(T) == 4) {
      separable_row(f, batch.input + row * batch.input_stride, y, static_cast<double*>(batch.scratch), batch.length);
    } else {
      separable_row(f, batch.input + row * batch.input_stride, y, y, batch.length);
    }
  }
}

}  // namespace wide
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
