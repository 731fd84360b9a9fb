// Sums of pairs run in blocks: within a block two compensated accumulators per lane, between blocks an addition exact
// to 3 u^2, so that the error of the sum hardly grows with the row (docs/double-double.md, 3).
#if defined(ATTNCERT_DOUBLE_DOUBLE_SUM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_DOUBLE_DOUBLE_SUM_INL_H
#undef ATTNCERT_DOUBLE_DOUBLE_SUM_INL_H
#else
#define ATTNCERT_DOUBLE_DOUBLE_SUM_INL_H
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "properties/conformance/double_double/double_double-inl.h"
#include "properties/conformance/double_double/double_double.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

// sum of values as heads exactly, and of all that was rounded off
template <class V>
struct Accumulator {
  V sum, rest;
  HWY_INLINE void take(VectorPair<V> value) {
    const VectorPair<V> s = two_sum(sum, value.high);
    sum = s.high;
    rest = hn::Add(rest, hn::Add(s.low, value.low));
  }
};

constexpr std::size_t block_vectors = 64;  // two accumulators, 32 additions each

template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble lanes_sum(D d, VectorPair<V> total) {
  HWY_ALIGN double highs[HWY_MAX_BYTES / sizeof(double)], lows[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(total.high, d, highs);
  hn::Store(total.low, d, lows);
  DoubleDouble sum;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    sum = double_double::add(sum, double_double::fast_two_sum(highs[i], lows[i]));
  return sum;
}

// Adds value(i), whole vectors two at a time, and rest(i) for what is left of `length` after them: at most two vectors,
// the last of which may reach beyond. Two names for one thing where the rest is worth a copy of its own.
template <class D, class Value, class Rest, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble sum_vectors(D d, std::size_t length, const Value& value, const Rest& rest) {
  const std::size_t lanes = hn::Lanes(d), block = block_vectors * lanes, paired = length / (2 * lanes) * (2 * lanes);
  const V zero = hn::Zero(d);
  VectorPair<V> total{zero, zero};
  for (std::size_t begin = 0; begin < paired; begin += block) {
    const std::size_t end = std::min(begin + block, paired);
    Accumulator<V> even{zero, zero}, odd{zero, zero};
    for (std::size_t i = begin; i < end; i += 2 * lanes) {
      const VectorPair<V> a = value(i), b = value(i + lanes);
      even.take(a);
      odd.take(b);
    }
    total = add(total, VectorPair<V>{even.sum, even.rest});
    total = add(total, VectorPair<V>{odd.sum, odd.rest});
  }
  Accumulator<V> left{zero, zero};
  for (std::size_t i = paired; i < length; i += lanes) left.take(rest(i));
  return lanes_sum(d, add(total, VectorPair<V>{left.sum, left.rest}));
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
