// Rows that do not stay in cache: one pass finds the largest logit and the sum together, block by block (a larger logit
// found later scales the sum by a power of two, which is exact: exp-inl.h), one pass computes the exponentials again and
// stores weights past the caches. Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_LONG_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_LONG_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_LONG_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_LONG_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
struct FetchAhead {
  const T* x;
  std::size_t count, length;
  HWY_INLINE void operator()(std::size_t i) { fetch_ahead(x, i, count, length); }
};

// The largest logit so far and the sum in its units.
template <class T>
class RunningSum {
 public:
  RunningSum(const Scale<T>& scale, T largest) : scale_(scale), largest_(largest), shift_(row_shift(scale, largest)) {}

  // False when the exponent cannot carry `largest`.
  bool raise(T largest) {
    if (!(largest > largest_)) return true;
    const RowShift<T> shift = row_shift(scale_, largest);
    const int down = static_cast<int>(shift.magic - shift_.magic);  // minus the growth of N
    sum_.high = std::ldexp(sum_.high, down);
    sum_.low = std::ldexp(sum_.low, down);
    largest_ = largest;
    shift_ = shift;
    return shift.near;
  }
  void add(const DoubleSum& block) { sum_.add(block); }
  T largest() const { return largest_; }
  const RowShift<T>& shift() const { return shift_; }
  const DoubleSum& sum() const { return sum_; }

 private:
  const Scale<T>& scale_;
  T largest_;
  RowShift<T> shift_;
  DoubleSum sum_;
};

template <class D, bool kUnit, class Family, class T = Lane<D>>
HWY_INLINE bool long_row(D d, const Scale<T>& scale, T first, bool all_present, const T* x, T* y, std::size_t length) {
  using Exp = RowExp<D, kUnit, !kUnit>;
  RunningSum<T> running(scale, Family::kZeroToo ? std::max(first, T(0)) : first);
  if (!running.shift().near) return false;
  T smallest = std::numeric_limits<T>::infinity();
  for (std::size_t i = 0; i < length; i += block_of(d)) {
    const std::size_t count = std::min(block_of(d), length - i);
    T largest, least;
    row_range(d, x + i, count, largest, least);
    smallest = std::min(smallest, least);
    if (all_present && least == -std::numeric_limits<T>::infinity()) return false;
    if (largest > std::numeric_limits<T>::max() || !running.raise(largest)) return false;
    FetchAhead<T> ahead{x + i, 4 * hn::Lanes(d), length - i};
    const Exp exp(d, scale, running.shift());
    running.add(exponentials<false, PaddedSum<D>>(d, exp, x + i, y, 0, count, ahead).sum);
  }
  const Exp exp(d, scale, running.shift());
  DoubleSum sum = running.sum();
  if (Family::kZeroToo) sum.add(static_cast<double>(hn::GetLane(exp(hn::Zero(d)))));
  if (sum.high != sum.high) {
    fill(y, length, std::numeric_limits<T>::quiet_NaN());
    return true;
  }
  const bool deep = sizeof(T) == 4 && hn::GetLane(exp(hn::Set(d, smallest))) < 2;
  with_times(d, reciprocal(sum, T()), deep, [&](const auto& times) HWY_ATTR {
    multiply_past_caches(d, Computed<T, Exp>{x, exp, length}, y, length, times);
  });
  return true;
}

// False when nothing was written: rows that need more care than a running sum has (or have -inf, where all are to be present).
// first: a guess at the largest.
template <class D, class Family, class T = Lane<D>>
HWY_INLINE bool softmax_long(D d, const T* x, T* y, std::size_t length, const Scale<T>& scale, T first,
                             bool all_present) {
  if (!is_finite(first) || !scale.near) return false;
  return scale.unit ? long_row<D, true, Family>(d, scale, first, all_present, x, y, length)
                    : long_row<D, false, Family>(d, scale, first, all_present, x, y, length);
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
