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
#include "src/normalizers/exponential/softmax_long-inl.h"
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
  return row_sum(d, RowExp<decltype(d), false>(d, row.scale, row.shift), row, e, length, nothing, zero);
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
    sum = row.shift.unit ? row_sum(d, RowExp<D, true>(d, row.scale, row.shift), row, e, length, drain, zero)
                         : row_sum(d, RowExp<D, false, true>(d, row.scale, row.shift), row, e, length, drain, zero);
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

// The weights of some of a long row from a source of exponentials.
template <class D, class Source, class By, class T = Lane<D>>
HWY_INLINE void store_long(D d, const Source& source, T* y, std::size_t length, const By& times, bool past) {
  if (past) return multiply_past_caches(d, source, y, length, times);
  multiply(d, source, y, 0, length, times);
}

template <bool kUnit, class D, class T = Lane<D>>
HWY_INLINE bool long_row(D d, const LongRow<T>& row, const Scale<T>& scale) {
  using Exp = RowExp<D, kUnit, !kUnit>;
  RunningSum<T> running(scale, row.zero ? std::max(row.first, T(0)) : row.first);
  if (!running.shift().near) return false;
  T smallest = std::numeric_limits<T>::infinity();
  std::size_t kept = row.e == nullptr ? row.length : 0;  // from here on e is in the units of the largest so far
  for (std::size_t i = 0; i < row.length; i += block_of(d)) {
    const std::size_t count = std::min(block_of(d), row.length - i);
    const T magic = running.shift().magic;
    T largest, least;
    row_range(d, row.x + i, count, largest, least);
    smallest = std::min(smallest, least);
    if (row.all_present && least == -std::numeric_limits<T>::infinity()) return false;
    if (largest > std::numeric_limits<T>::max() || !running.raise(largest, kSlack)) return false;
    if (row.e != nullptr && running.shift().magic != magic) kept = i;
    FetchAhead<T> ahead{row.x + i, 4 * hn::Lanes(d), row.length - i};
    const auto add = [&](const auto& exp) HWY_ATTR {
      running.add(row.e != nullptr ? exponentials<true, PaddedSum<D>>(d, exp, row.x + i, row.e + i, 0, count, ahead).sum
                                   : exponentials<false, PaddedSum<D>>(d, exp, row.x + i, row.y, 0, count, ahead).sum);
    };
    if (is_shallow(scale, running.shift(), running.largest(), least)) {
      add(RowExp<D, kUnit, !kUnit, true>(d, scale, running.shift()));
    } else {
      add(Exp(d, scale, running.shift()));
    }
  }
  const Exp exp(d, scale, running.shift());
  DoubleSum sum = running.sum();
  if (row.zero) sum.add(static_cast<double>(hn::GetLane(exp(hn::Zero(d)))));
  if (sum.high != sum.high) {
    fill(row.y, row.length, std::numeric_limits<T>::quiet_NaN());
    return true;
  }
  const bool deep = sizeof(T) == 4 && hn::GetLane(exp(hn::Set(d, smallest))) < 2;
  with_times(d, reciprocal(sum, T()), deep, [&](const auto& times) HWY_ATTR {
    store_long(d, Computed<T, Exp>{row.x, exp, kept}, row.y, kept, times, row.past);
    if (kept == row.length) return;
    store_long(d, Stored<T>{row.e + kept}, row.y + kept, row.length - kept, times, row.past);
  });
  return true;
}

template <class T>
bool softmax_long(const LongRow<T>& row, const Scale<T>& scale) {
  const hn::ScalableTag<T> d;
  if (!is_finite(row.first) || !scale.near) return false;
  return scale.unit ? long_row<true>(d, row, scale) : long_row<false>(d, row, scale);
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
