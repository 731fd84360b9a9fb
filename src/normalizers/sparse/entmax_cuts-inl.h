// The candidates of an f32 row about a float t, in double: sum w and sum w^2, w = z - t over the logits above t, with
// an error that does not grow with their number (docs/budgets.md). What the support for b = 1 and 2 is decided by.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_CUTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_CUTS_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_CUTS_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_CUTS_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/sparse/entmax_candidates-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

using Doubles = hn::ScalableTag<double>;
using DoubleV = hn::Vec<Doubles>;

template <class T>
HWY_INLINE DoubleV load_doubles(const T* x) {
  if constexpr (sizeof(T) == 4) {
    return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), x));
  } else {
    return hn::LoadU(Doubles(), x);
  }
}

// f32, b = 1 and 2, about a float t: sums of w = z - t over the logits above t, and the logits that stand next to it.
struct CutSums {
  double first, second, count;  // of w, w^2, 1
  float lowest, next;
  double error;  // relative, of both sums
};

// f32 logits about t, in double; joined in a tree, so that no term goes through many additions.
struct CutChain {
  DoubleV first, second;

  HWY_INLINE CutChain() : first(hn::Zero(Doubles())), second(first) {}

  HWY_INLINE void add(const float* x, DoubleV t) {
    const Doubles d;
    const DoubleV w = hn::Max(hn::Sub(load_doubles(x), t), hn::Zero(d));
    first = hn::Add(first, w);
    second = hn::MulAdd(w, w, second);
  }
  HWY_INLINE void add(const CutChain& other) {
    first = hn::Add(first, other.first);
    second = hn::Add(second, other.second);
  }
};

// Sums of 8 vectors, 8 of these at a time, and those with their roundings kept: 26 u whatever their number.
HWY_INLINE CutSums cut_sums(const Candidates<float>& candidates, float t) {
  const hn::ScalableTag<float> d;
  const Doubles dd;
  const std::size_t lanes = hn::Lanes(d), half = hn::Lanes(dd), count = candidates.count;
  const auto limit = hn::Set(d, t);
  const DoubleV wide_limit = hn::Set(dd, static_cast<double>(t));
  CompensatedSum<Doubles> first(dd), second(dd);
  auto lowest = hn::Set(d, std::numeric_limits<float>::infinity()), next = hn::Neg(lowest);
  std::size_t inside_count = 0;
  for (std::size_t i = 0; i < count;) {
    CutChain sums;
    for (const std::size_t last = std::min(count, i + 64 * lanes); i < last;) {
      CutChain low, high;
      for (const std::size_t end = std::min(last, i + 8 * lanes); i < end; i += lanes) {
        const float* const at = candidates.logits + i;
        const auto x = hn::LoadU(d, at);
        const auto inside = hn::Gt(x, limit);
        lowest = hn::IfThenElse(inside, hn::Min(lowest, x), lowest);
        next = hn::Max(next, hn::IfThenElse(inside, next, x));
        inside_count += hn::CountTrue(d, inside);
        low.add(at, wide_limit);
        if (half < lanes) high.add(at + half, wide_limit);
      }
      low.add(high);
      sums.add(low);
    }
    if (count <= 64 * lanes) {  // all of them: nothing was rounded off
      first.sum = sums.first;
      second.sum = sums.second;
    } else {
      first.add(sums.first);
      second.add(sums.second);
    }
  }
  const double terms = static_cast<double>(count), vectors = std::ceil(terms / static_cast<double>(lanes));
  return {hn::GetLane(hn::SumOfLanes(dd, hn::Add(first.sum, first.rest))),
          hn::GetLane(hn::SumOfLanes(dd, hn::Add(second.sum, second.rest))),
          static_cast<double>(inside_count),
          -largest_lane(d, hn::Neg(lowest)),
          largest_lane(d, next),
          0x1p-53 * (std::min(vectors, 16.0) + 10) + 0x1p-106 * terms * terms};
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
