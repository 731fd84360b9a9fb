// What all derivatives share: the walk over the present logits and their upstream gradients, and the last step c_i
// (g_i - mean) rho. Upstream is never multiplied where it does not count, it is replaced by 0: no 0 * infinity.
#if defined(ATTNCERT_NORMALIZERS_VJP_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_VJP_ROW_INL_H
#undef ATTNCERT_NORMALIZERS_VJP_ROW_INL_H
#else
#define ATTNCERT_NORMALIZERS_VJP_ROW_INL_H
#endif

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/derivatives/vjp_survey-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace vjp {

// visit(x, g, present, i, count): x and g as Numbers, g = 0 where absent.
template <class T, class Visit>
HWY_INLINE void walk(const Row<T>& row, Visit visit) {
  using N = Numbers<T>;
  const auto absent = N::set(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < row.length; i += N::lanes()) {
    const std::size_t count = row.length - i;
    const auto x = N::load(row.logits + i, count);
    const auto present = N::above(x, absent);
    visit(x, N::where(present, N::load(row.upstream + i, count)), present, i, count);
  }
}

template <class T>
HWY_INLINE typename Numbers<T>::Number number(typename Numbers<T>::Scalar value) {
  return Numbers<T>::set(value);
}

// Writes slope(x) (g - mean) rho at the present positions, 0 elsewhere.
template <class T, class Slope>
HWY_INLINE void write_centred(const Row<T>& row, typename Numbers<T>::Scalar mean, const Rate& rate, Slope slope) {
  using N = Numbers<T>;
  const Times<T> times(rate);
  const auto centre = number<T>(mean);
  walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count)
                HWY_ATTR { N::store(N::where(present, times(slope(x) * (g - centre))), row.gradient + i, count); });
}

// The derivative of w / (start + sum of w) for weights w(x) with slope(x) = T dw/dz: slope (g - sum w g / S) / S rho.
// For the exponential family slope and weight are one.
template <class T, class Weight, class Slope>
HWY_INLINE void write_normalized(const Row<T>& row, const Rate& rate, typename Numbers<T>::Scalar start, Weight weight,
                                 Slope slope) {
  using N = Numbers<T>;
  typename N::Sum weights, products;
  weights.add(N::first(start));
  walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
    const auto w = N::where(present, weight(x));
    weights.add(w);
    products.add(w * g);
  });
  const auto sum = weights.total();
  const auto inverse = N::set(1 / sum);
  write_centred(row, products.total() / sum, rate, [&](auto x) HWY_ATTR { return slope(x) * inverse; });
}

// One call: `derive(row)` is asked for rows that are finite and not empty.
template <class T, class Derive>
HWY_INLINE void each_row(const Batch<T>& batch, Derive derive) {
  for (std::size_t r = 0; r < batch.rows; ++r) {
    T* y = batch.output + r * batch.output_stride;
    Row<T> row{
        batch.input + r * batch.input_stride, batch.upstream + r * batch.upstream_stride, y, batch.length, 0, 0, 0, r};
    if (HWY_UNLIKELY(!survey(row))) {
      fill(y, batch.length, std::numeric_limits<T>::quiet_NaN());
    } else if (HWY_UNLIKELY(row.present == 0)) {
      fill(y, batch.length, T(0));
    } else {
      derive(row);
    }
  }
}

}  // namespace vjp
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
