// The functions of softmax_row-inl.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/softmax_row.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_drain-inl.h"
#include "src/normalizers/exponential/softmax_long_row-inl.h"
#include "src/normalizers/exponential/softmax_row-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class D, class Exp, class Beside, class T = Lane<D>>
HWY_INLINE RowSum row_sum(D d, const Exp& exp, const Row<T>& row, T* e, std::size_t length, Beside& beside, bool zero) {
  RowSum all = row_exponentials(d, exp, row.x, e, length, beside);
  if (zero) all.sum.add(static_cast<double>(hn::GetLane(exp(hn::Zero(d)))));
  return all;
}

template <class T>
void softmax_of_group(const Row<T>* group, std::size_t rows, std::size_t length, bool zero) {
  const hn::ScalableTag<T> d;
  RowSum sums[kGroup];
  Nothing nothing;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto sum = [&](const auto& exp)
                         HWY_ATTR { return row_sum(d, exp, group[r], group[r].y, length, nothing, zero); };
    sums[r] = with_exp(d, group[r].scale, group[r].shift, sum, group[r].shallow);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    T* const y = group[r].y;
    if (HWY_UNLIKELY(sums[r].sum.high != sums[r].sum.high)) {
      fill(y, length, std::numeric_limits<T>::quiet_NaN());
      continue;
    }
    with_times(d, reciprocal(sums[r].sum, T()), sums[r].deep,
               [&](const auto& times) HWY_ATTR { multiply(d, Stored<T>{y}, y, 0, length, times); });
  }
}

// At temperatures and logits that need four multiplications: rare, so not worth loops of their own for each way to
// store.
template <class T>
HWY_NOINLINE RowSum sum_far_row(const Row<T>& row, T* e, std::size_t length, const Pending<T>& before, bool zero) {
  const hn::ScalableTag<T> d;
  if (before.y != nullptr) multiply_row_past_caches(before, length);
  Nothing nothing;
  return row_sum(d, RowExp<decltype(d), ExpForm::any>(d, row.scale, row.shift), row, e, length, nothing, zero);
}

template <class T>
RowSum sum_and_drain(const Row<T>& row, T* e, const T* next, std::size_t length, const Pending<T>& before, bool zero) {
  using D = hn::ScalableTag<T>;
  const D d;
  if (HWY_UNLIKELY(!row.shift.unit && !row.shift.near)) return sum_far_row(row, e, length, before, zero);
  RowSum sum;
  with_times(d, before.by, before.deep, [&](const auto& times) HWY_ATTR {
    const std::size_t stored = before.y == nullptr ? 0 : length;
    Drain<D, std::decay_t<decltype(times)>> drain(d, before.e, before.y, times, next, stored);
    sum = row.shift.unit ? row_sum(d, RowExp<D, ExpForm::unit>(d, row.scale, row.shift), row, e, length, drain, zero)
                         : row_sum(d, RowExp<D, ExpForm::near>(d, row.scale, row.shift), row, e, length, drain, zero);
    drain.finish();
  });
  return sum;
}

template <class T>
void multiply_row_past_caches(const Pending<T>& row, std::size_t length) {
  const hn::ScalableTag<T> d;
  with_times(d, row.by, row.deep,
             [&](const auto& times) HWY_ATTR { multiply_past_caches(d, Stored<T>{row.e}, row.y, length, times); });
}

#define ATTNCERT_ROWS_OF(T)                                                                            \
  template void softmax_of_group<T>(const Row<T>*, std::size_t, std::size_t, bool);                    \
  template RowSum sum_and_drain<T>(const Row<T>&, T*, const T*, std::size_t, const Pending<T>&, bool); \
  template void multiply_row_past_caches<T>(const Pending<T>&, std::size_t);                           \
  template bool softmax_long<T>(const LongRow<T>&, const Scale<T>&);
ATTNCERT_ROWS_OF(float)
ATTNCERT_ROWS_OF(double)
#undef ATTNCERT_ROWS_OF

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
