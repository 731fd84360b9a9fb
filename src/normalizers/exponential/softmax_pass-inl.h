// The passes over a row of exponentials that softmax, ssmax and softmax1 share: exponentials and their compensated sum,
// and the product with the reciprocal of the sum. What a pass does beside its arithmetic (prefetching, storing another
// row) never changes a bit of it.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_PASS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_PASS_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_PASS_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_PASS_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/normalizers/cache_lines.hpp"
#include "src/normalizers/cells-inl.h"
#include "src/normalizers/exponential/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
HWY_INLINE void fetch_ahead(const T* x, std::size_t i, std::size_t count, std::size_t length) {
  const std::size_t from = i + kAhead / sizeof(T);
  if (from + count > length) return;
  for (std::size_t j = from; j < from + count; j += kLine / sizeof(T)) hwy::Prefetch(x + j);
}

struct Nothing {
  HWY_INLINE void operator()(std::size_t) {}
};

// A sum of positive terms below 2^(headroom + 3) that begins there: no term is larger than the sum, so Dekker's
// FastTwoSum keeps what every addition rounds off, in four operations. Not for terms that may all be small beside
// 2^headroom: what it loses is measured by that.
template <class D>
struct LiftedSum {
  static constexpr double kLift = sizeof(Lane<D>) == 4 ? 0x1p63 : 0x1p515;
  static_assert(FormatLimits<float>::headroom == 60 && FormatLimits<double>::headroom == 512);
  hn::Vec<D> sum, rest;

  explicit LiftedSum(D d) : sum(hn::Set(d, static_cast<Lane<D>>(kLift))), rest(hn::Zero(d)) {}

  HWY_INLINE void add(hn::Vec<D> v) {
    const auto total = hn::Add(sum, v);
    rest = hn::Add(rest, hn::Sub(v, hn::Sub(total, sum)));
    sum = total;
  }
};

template <class D>
HWY_INLINE DoubleSum add_lanes(D d, const LiftedSum<D>& lifted) {
  CompensatedSum<D> grounded(d);
  grounded.sum = hn::Sub(lifted.sum, hn::Set(d, static_cast<Lane<D>>(LiftedSum<D>::kLift)));  // exact
  grounded.rest = lifted.rest;
  return add_lanes(d, grounded);
}

// A sum of blocks, none of which need hold a large term: sums of exponentials of 2^-122 round off what is subnormal,
// and each of these costs a processor a hundred cycles. Beside 2^-70 hardly any is; what this adds is below 2^-106 of a
// row's sum.
template <class D>
struct PaddedSum : CompensatedSum<D> {
  explicit PaddedSum(D d) : CompensatedSum<D>(d) { this->sum = hn::Set(d, static_cast<Lane<D>>(0x1p-70)); }
};

// Elements whose exponentials are added in one go: 64 groups of four vectors, few enough for `rest` (docs/budgets.md).
template <class D>
constexpr std::size_t block_of(D) {
  return 256 * hn::MaxLanes(D());
}

// The largest and the smallest element; NaN may hide, the sum finds it.
template <class D, class T = Lane<D>>
HWY_INLINE void row_range(D d, const T* x, std::size_t length, T& largest, T& smallest) {
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<D> high[4], low[4];
  for (std::size_t k = 0; k < 4; ++k) {
    high[k] = hn::Set(d, -std::numeric_limits<T>::infinity());
    low[k] = hn::Set(d, std::numeric_limits<T>::infinity());
  }
  const auto see = [&](std::size_t k, hn::Vec<D> v) HWY_ATTR {
    high[k] = hn::Max(high[k], v);
    low[k] = hn::Min(low[k], v);
  };
  std::size_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    for (std::size_t k = 0; k < 4; ++k) see(k, hn::LoadU(d, x + i + k * lanes));
  }
  for (; i + lanes <= length; i += lanes) see(0, hn::LoadU(d, x + i));
  if (i < length) {
    const auto v = load_tail(d, x + i, length - i);
    high[1] = hn::Max(high[1], v);
    low[1] = hn::Min(low[1], hn::IfThenElse(hn::FirstN(d, length - i), v, low[1]));
  }
  largest = largest_lane(d, hn::Max(hn::Max(high[0], high[1]), hn::Max(high[2], high[3])));
  smallest = -largest_lane(d, hn::Neg(hn::Min(hn::Min(low[0], low[1]), hn::Min(low[2], low[3]))));
}

// How many elements are -inf.
template <class D>
HWY_INLINE std::size_t count_absent(D d, const Lane<D>* x, std::size_t length) {
  const auto absent = hn::Set(d, -std::numeric_limits<Lane<D>>::infinity());
  const std::size_t lanes = hn::Lanes(d);
  std::size_t count = 0, i = 0;
  for (; i + lanes <= length; i += lanes) count += hn::CountTrue(d, hn::Eq(hn::LoadU(d, x + i), absent));
  if (i == length) return count;
  const auto in_tail = hn::FirstN(d, length - i);
  return count + hn::CountTrue(d, hn::And(in_tail, hn::Eq(load_tail(d, x + i, length - i), absent)));
}

// What the exponentials of a row tell: their sum, and whether one of them is so small that its weight may be subnormal.
struct RowSum {
  DoubleSum sum;
  bool deep = false;
};

// Whether all of some exponentials are 0, whose weight is no trouble, or at least 2: bit 30 of an f32 less 1 says so
// (2 itself may pass for less), and the conjunction of many costs less than their least. Of an f64, bit 62.
template <class D>
class Shallow {
  using Bits = hn::RebindToUnsigned<D>;

 public:
  // zero_is_deep: 0 counts as what is below 2.
  explicit HWY_INLINE Shallow(D d, bool zero_is_deep = false)
      : all_(hn::Not(hn::BitCast(Bits(), hn::Zero(d)))), less_(hn::Set(Bits(), zero_is_deep ? 0 : 1)) {}
  HWY_INLINE void see(hn::Vec<D> e) { all_ = hn::And(all_, hn::Sub(hn::BitCast(Bits(), e), less_)); }
  // The first `count` lanes.
  HWY_INLINE void see(hn::Vec<D> e, std::size_t count) {
    const D d;
    see(hn::IfThenElse(hn::FirstN(d, count), e, hn::Set(d, Lane<D>(4))));
  }
  HWY_INLINE bool deep() const {
    const D d;
    const auto two = hn::Set(d, Lane<D>(2));
    return !hn::AllTrue(d, hn::Ge(hn::BitCast(d, hn::And(all_, hn::BitCast(Bits(), two))), two));
  }

 private:
  hn::Vec<Bits> all_, less_;
};

// y = exp(x) from `from` to `length`, returns the sum of these y; without kStore only the sum. `beside` is called
// before each group of four vectors. X: a pointer to lanes, or what stands for one (half_row-inl.h).
template <bool kStore, class Sum, class D, class Exp, class X, class Beside>
HWY_INLINE RowSum exponentials(D d, const Exp& given, X x, Lane<D>* y, std::size_t from, std::size_t length,
                               Beside& beside) {
  const Exp exp = given;  // a copy, which no store of floats can change: it stays in registers
  const std::size_t lanes = hn::Lanes(d);
  Sum sum(d);
  Shallow<D> shallow(d);
  std::size_t i = from;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    beside(i);
    hn::Vec<D> e[4];
    for (std::size_t k = 0; k < 4; ++k) e[k] = load(d, x + i + k * lanes);
    exp.all(e);
    for (std::size_t k = 0; k < 4; ++k) {
      if (kStore) hn::StoreU(e[k], d, y + i + k * lanes);
      if (!Exp::kShallow) shallow.see(e[k]);
    }
    sum.add(hn::Add(hn::Add(e[0], e[1]), hn::Add(e[2], e[3])));
  }
  for (; i + lanes <= length; i += lanes) {
    const auto a = exp(load(d, x + i));
    if (kStore) hn::StoreU(a, d, y + i);
    if (!Exp::kShallow) shallow.see(a);
    sum.add(a);
  }
  if (i < length) {  // the absent lanes add nothing (f64: less than 2^-150 of the largest)
    auto last = load_tail(d, x + i, length - i);
    if constexpr (Exp::kShallow) last = exp.from_floor(last);
    const auto a = exp(last);
    if (kStore) store_tail(d, a, y + i, length - i);
    if (!Exp::kShallow) shallow.see(a);
    sum.add(a);
  }
  return {add_lanes(d, sum), !Exp::kShallow && sizeof(Lane<D>) == 4 && shallow.deep()};
}

// The exponentials of a whole row. Of several blocks one holds the largest exponential, and the others may be as many
// as they are small: only a block that is the row may be lifted.
template <class D, class Exp, class X, class Beside>
HWY_INLINE RowSum row_exponentials(D d, const Exp& exp, X x, Lane<D>* y, std::size_t length, Beside& beside) {
  if (length <= block_of(d)) return exponentials<true, LiftedSum<D>>(d, exp, x, y, 0, length, beside);
  RowSum all;
  for (std::size_t from = 0; from < length; from += block_of(d)) {
    const std::size_t to = std::min(from + block_of(d), length);
    const RowSum block = exponentials<true, PaddedSum<D>>(d, exp, x, y, from, to, beside);
    all.sum.add(block.sum);
    all.deep |= block.deep;
  }
  return all;
}

// 1 / sum: of f32 rounded once, of f64 as head + tail.
template <class T>
struct Reciprocal {
  T head, tail;
};
template <>
struct Reciprocal<float> {
  float head;
};

HWY_INLINE Reciprocal<float> reciprocal(const DoubleSum& sum, float) {
  return {static_cast<float>(1 / (sum.high + sum.low))};
}

HWY_INLINE Reciprocal<double> reciprocal(const DoubleSum& sum, double) {
  const double head = 1 / sum.high;  // one Newton step against the unrounded sum
  return {head, head * (std::fma(-head, sum.high, 1.0) - head * sum.low)};
}

template <class D>
class Times {
 public:
  HWY_INLINE Times(D d, const Reciprocal<Lane<D>>& by) : head_(hn::Set(d, by.head)), tail_(head_) {
    if constexpr (sizeof(Lane<D>) == 8) tail_ = hn::Set(d, by.tail);
  }
  HWY_INLINE hn::Vec<D> operator()(hn::Vec<D> v) const {
    if constexpr (sizeof(Lane<D>) == 8) return hn::MulAdd(v, head_, hn::Mul(v, tail_));
    return hn::Mul(v, head_);
  }

 private:
  hn::Vec<D> head_, tail_;
};

// e / sum where weights w may be subnormal, which costs a processor a hundred cycles a vector: with q = w 2^126, the
// bits of w are those of 2 q (w normal) or 1 + q (w subnormal: a fixed point of 2^-149) less the bits of 1, and of the
// two the larger one is right. Rows of NaN do not come here.
template <class D, hwy::EnableIf<sizeof(Lane<D>) == 4>* = nullptr>
class DeepTimes {
 public:
  HWY_INLINE DeepTimes(D d, const Reciprocal<float>& by)
      : twice_(hn::Set(d, by.head * 0x1p127f)), once_(hn::Set(d, by.head * 0x1p126f)) {}
  HWY_INLINE hn::Vec<D> operator()(hn::Vec<D> e) const {
    const D d;
    const hn::RebindToSigned<D> bits;
    const auto larger = hn::Max(hn::Mul(e, twice_), hn::MulAdd(e, once_, hn::Set(d, 1.0f)));
    return hn::BitCast(d, hn::Sub(hn::BitCast(bits, larger), hn::BitCast(bits, hn::Set(d, 1.0f))));
  }

 private:
  hn::Vec<D> twice_, once_;
};

// Calls with(times) for the form of the product that serves the row. f64: subnormal weights are left to the processor.
template <class D, class With>
HWY_INLINE void with_times(D d, const Reciprocal<Lane<D>>& by, bool deep, const With& with) {
  if constexpr (sizeof(Lane<D>) == 4) {
    if (deep) return with(DeepTimes<D>(d, by));
  }
  with(Times<D>(d, by));
}

// y = times(source(i)): source gives the vector at i, or the first elements of it.
template <class D, class Source, class By>
HWY_INLINE void multiply(D d, const Source& source, Lane<D>* y, std::size_t from, std::size_t length, const By& times) {
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = from;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    for (std::size_t j = i; j < i + 4 * lanes; j += lanes) hn::StoreU(times(source(d, j)), d, y + j);
  }
  for (; i + lanes <= length; i += lanes) hn::StoreU(times(source(d, i)), d, y + i);
  if (i < length) store_tail(d, times(source.tail(d, i, length - i)), y + i, length - i);
}

// Elements before the first vector-aligned one.
template <class D>
HWY_INLINE std::size_t misaligned(D d, const Lane<D>* y, std::size_t length) {
  const std::size_t bytes = hn::Lanes(d) * sizeof(Lane<D>);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(y) % bytes;
  const std::size_t before = beyond == 0 ? 0 : (bytes - beyond) / sizeof(Lane<D>);
  return before < length ? before : length;
}

// The same past the caches. Ahead of i the input is fetched, as far as it is known to be there.
template <class D, class Source, class By>
HWY_INLINE void multiply_past_caches(D d, const Source& source, Lane<D>* y, std::size_t length, const By& times) {
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = misaligned(d, y, length);
  multiply(d, source, y, 0, i, times);
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    source.fetch(i, 4 * lanes);
    for (std::size_t j = i; j < i + 4 * lanes; j += lanes) hn::Stream(times(source(d, j)), d, y + j);
  }
  multiply(d, source, y, i, length, times);
}

// Stored exponentials.
template <class T>
struct Stored {
  const T* e;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
    return hn::LoadU(d, e + i);
  }
  template <class D>
  HWY_INLINE hn::Vec<D> tail(D d, std::size_t i, std::size_t count) const {
    return load_tail(d, e + i, count);
  }
  HWY_INLINE void fetch(std::size_t, std::size_t) const {}
};

// Exponentials computed once more, for rows that do not stay in cache between two passes.
template <class T, class Exp>
struct Computed {
  const T* x;
  const Exp& exp;
  std::size_t length;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
    return exp(hn::LoadU(d, x + i));
  }
  template <class D>
  HWY_INLINE hn::Vec<D> tail(D d, std::size_t i, std::size_t count) const {
    return exp(load_tail(d, x + i, count));
  }
  HWY_INLINE void fetch(std::size_t i, std::size_t count) const { fetch_ahead(x, i, count, length); }
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
