// Rows that do not stay in L2: one pass finds the largest logit and the sum together, block by block (a larger logit
// found later scales the sum by a power of two, which is exact: exp-inl.h), and keeps the exponentials where there is
// room; one pass computes what was not kept again, and stores weights, past the caches where the batch exceeds them.
// Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
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
namespace attncert::HWY_NAMESPACE {

template <class T>
struct FetchAhead {
  const T* x;
  std::size_t count, length;
  HWY_INLINE void operator()(std::size_t i) { fetch_ahead(x, i, count, length); }
};

// How far the largest exponential may grow beyond its units: 2^30 of 2^(headroom + kSlack + 1) stay in the format.
constexpr int kSlack = 24;

// The largest logit so far and the sum in its units.
template <class T>
class RunningSum {
 public:
  RunningSum(const Scale<T>& scale, T largest) : scale_(scale), largest_(largest), shift_(row_shift(scale, largest)) {}

  // The units become those of `largest`, where its power of two is more than `slack` above theirs. False when the
  // exponent cannot carry it.
  bool raise(T largest, int slack = 0) {
    if (!(largest > largest_)) return true;
    const RowShift<T> shift = row_shift(scale_, largest);
    const int down = static_cast<int>(shift.magic - shift_.magic);  // minus the growth of N
    largest_ = largest;
    if (shift.near && down >= -slack) return true;
    sum_.high = std::ldexp(sum_.high, down);
    sum_.low = std::ldexp(sum_.low, down);
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

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
