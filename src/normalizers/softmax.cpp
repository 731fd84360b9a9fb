// softmax(z / T)_i = exp(z_i / T) / sum_j exp(z_j / T), as e_i / sum of exp-inl.h. Three passes: largest logit;
// exponentials and their compensated sum; times the reciprocal of the sum, held as two terms.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"
#include "src/normalizers/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

// y = exp(x), returns the sum of y.
template <class D, bool kUnit>
HWY_INLINE DoubleSum exponentials(D d, const RowExp<D, kUnit>& exp, const Lane<D>* x, Lane<D>* y, std::size_t length) {
  const std::size_t lanes = hn::Lanes(d);
  CompensatedSum<D> sum(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    const auto a = exp(hn::LoadU(d, x + i)), b = exp(hn::LoadU(d, x + i + lanes));
    const auto c = exp(hn::LoadU(d, x + i + 2 * lanes)), e = exp(hn::LoadU(d, x + i + 3 * lanes));
    hn::StoreU(a, d, y + i);
    hn::StoreU(b, d, y + i + lanes);
    hn::StoreU(c, d, y + i + 2 * lanes);
    hn::StoreU(e, d, y + i + 3 * lanes);
    sum.add(hn::Add(hn::Add(a, b), hn::Add(c, e)));
  }
  for (; i + lanes <= length; i += lanes) {
    const auto a = exp(hn::LoadU(d, x + i));
    hn::StoreU(a, d, y + i);
    sum.add(a);
  }
  if (i < length) {  // the absent lanes add less than 2^-150 of the largest
    const auto a = exp(load_tail(d, x + i, length - i));
    store_tail(d, a, y + i, length - i);
    sum.add(a);
  }
  return add_lanes(d, sum);
}

// 1 / sum as head + tail.
template <class T>
struct Reciprocal {
  T head, tail;
};

HWY_INLINE Reciprocal<float> reciprocal(const DoubleSum& sum, float) {
  const double inverse = 1 / (sum.high + sum.low);
  const float head = static_cast<float>(inverse);
  return {head, static_cast<float>(inverse - static_cast<double>(head))};
}

HWY_INLINE Reciprocal<double> reciprocal(const DoubleSum& sum, double) {
  const double head = 1 / sum.high;  // one Newton step against the unrounded sum
  return {head, head * (std::fma(-head, sum.high, 1.0) - head * sum.low)};
}

template <class D>
HWY_INLINE void multiply(D d, Lane<D>* y, std::size_t length, const Reciprocal<Lane<D>>& by) {
  const std::size_t lanes = hn::Lanes(d);
  const auto head = hn::Set(d, by.head), tail = hn::Set(d, by.tail);
  const auto times = [&](hn::Vec<D> v) HWY_ATTR { return hn::MulAdd(v, head, hn::Mul(v, tail)); };
  std::size_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    for (std::size_t j = i; j < i + 4 * lanes; j += lanes) hn::StoreU(times(hn::LoadU(d, y + j)), d, y + j);
  }
  for (; i + lanes <= length; i += lanes) hn::StoreU(times(hn::LoadU(d, y + i)), d, y + i);
  if (i < length) store_tail(d, times(load_tail(d, y + i, length - i)), y + i, length - i);
}

template <class T>
HWY_INLINE bool is_finite(T value) {
  return std::abs(value) <= std::numeric_limits<T>::max();
}

// Rows go in groups, each step for the whole group: the reductions of one row wait long for each other, those of
// several rows do not. A result never depends on its group: a row that could do without scaling gets the same bits.
constexpr std::size_t kGroup = 4;
constexpr std::size_t kGroupLength = 512;  // beyond it a row keeps the machine busy alone, and four would not fit L1

template <class D, bool kUnit, class T = Lane<D>>
HWY_INLINE void weigh(D d, const Scale<T>& scale, const RowShift<T>* shifts, const T* const* x, T* const* y,
                      std::size_t rows, std::size_t length) {
  DoubleSum sums[kGroup];
  for (std::size_t r = 0; r < rows; ++r) {
    sums[r] = exponentials(d, RowExp<D, kUnit>(d, scale, shifts[r]), x[r], y[r], length);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    if (HWY_UNLIKELY(sums[r].high != sums[r].high)) {
      fill(y[r], length, std::numeric_limits<T>::quiet_NaN());
    } else {
      multiply(d, y[r], length, reciprocal(sums[r], T()));
    }
  }
}

template <class D, class T = Lane<D>>
HWY_INLINE void softmax_group(D d, const Batch<T>& batch, std::size_t first, std::size_t rows) {
  const T* x[kGroup];
  T* y[kGroup];
  RowShift<T> shifts[kGroup];
  std::size_t finite = 0;
  bool unit = true;
  for (std::size_t row = first; row < first + rows; ++row) {
    x[finite] = row_logits(batch, row);
    y[finite] = batch.output + row * batch.output_stride;
    const T largest = row_largest(d, x[finite], batch.length);
    if (HWY_UNLIKELY(!is_finite(largest))) {
      write_degenerate_row(
          x[finite], y[finite], batch.length, T(0), +[](double count) { return 1 / count; });
      continue;
    }
    shifts[finite] = row_shift(batch.scale, largest);
    unit &= shifts[finite].unit;
    ++finite;
  }
  if (HWY_LIKELY(unit)) {
    weigh<D, true>(d, batch.scale, shifts, x, y, finite, batch.length);
  } else {
    weigh<D, false>(d, batch.scale, shifts, x, y, finite, batch.length);
  }
}

template <class T>
void softmax_rows(const Batch<T>& batch) {
  const hn::ScalableTag<T> d;
  const std::size_t group = batch.length <= kGroupLength ? kGroup : 1;
  for (std::size_t row = 0; row < batch.rows; row += group) {
    softmax_group(d, batch, row, std::min(group, batch.rows - row));
  }
}

void softmax_f32(const Batch<float>& batch) { softmax_rows(batch); }
void softmax_f64(const Batch<double>& batch) { softmax_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax_f32);
HWY_EXPORT(softmax_f64);

template <class T>
attncert_status run_softmax(const attncert_arguments* arguments) {
  Batch<T> batch;
  const attncert_status status = read_arguments(arguments, FormatLimits<T>::temperature_limit, 0, batch);
  if (status != ATTNCERT_OK) return status;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(softmax_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(softmax_f64)(batch);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budget: the bars of the project, held by measurement and not by proof. In u = 2^-p, relative: an exponential errs by at
// most about 1.7 u (last addition 1, t 0.35, t + t^2 q 0.35), the sum by as much and 0.7 u of its own, the product by
// 1 u; the worst of all together would be 5 u. Measured by `attncert accuracy --effort full` over all instruction sets,
// every T, both sigmas and every regime, L to 2^20: 3.14 ulp in f32 (SCALAR), 3.55 ulp in f64 (SSE4, SSSE3).
const BuiltIn softmax_f32_kernel =
    built_in("softmax.f32", "softmax", ATTNCERT_F32, run_softmax<float>, nullptr, {4, 6});
const BuiltIn softmax_f64_kernel =
    built_in("softmax.f64", "softmax", ATTNCERT_F64, run_softmax<double>, nullptr, {4, 6});

}  // namespace attncert
#endif  // HWY_ONCE
