// The body of softmax_long (softmax_row-inl.h), for softmax_row.cpp, which instantiates it.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_LONG_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_LONG_ROW_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_LONG_ROW_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_LONG_ROW_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_drain-inl.h"
#include "src/normalizers/exponential/softmax_long-inl.h"
#include "src/normalizers/exponential/softmax_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// The weights of some of a long row from a source of exponentials.
template <class D, class Source, class By, class T = Lane<D>>
HWY_INLINE void store_long(D d, const Source& source, T* y, std::size_t length, const By& times, bool past) {
  if (past) return multiply_past_caches(d, source, y, length, times);
  multiply(d, source, y, 0, length, times);
}

template <bool kUnit, class D, class T = Lane<D>>
HWY_INLINE bool long_row(D d, const LongRow<T>& row, const Scale<T>& scale) {
  using Exp = RowExp<D, exp_form(kUnit)>;
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
      add(RowExp<D, exp_form(kUnit, true)>(d, scale, running.shift()));
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

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
