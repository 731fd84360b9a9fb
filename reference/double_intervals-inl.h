// DoubleIntervals: several DoubleIntervals side by side in a vector of D, once per instruction set. An operation gives
// each of them the very bits that DoubleInterval's gives, which has the proofs and says why each step is there.
#if defined(ATTNCERT_REFERENCE_DOUBLE_INTERVALS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_REFERENCE_DOUBLE_INTERVALS_INL_H
#undef ATTNCERT_REFERENCE_DOUBLE_INTERVALS_INL_H
#else
#define ATTNCERT_REFERENCE_DOUBLE_INTERVALS_INL_H
#endif

#include <limits>

#include "hwy/highway.h"
#include "reference/double_interval.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR  // whose vectors have one lane: half an interval

// No operation is a friend: g++ 12 compiles those of a class template without the instruction set.
template <class D>  // of doubles, two lanes or more
struct DoubleIntervals {
  using V = hn::Vec<D>;
  V ends;  // as DoubleInterval keeps them: the lower one negated

  static HWY_INLINE std::size_t count() { return hn::Lanes(D()) / 2; }

  static HWY_INLINE DoubleIntervals load(const DoubleInterval* from) {
    return {hn::LoadU(D(), reinterpret_cast<const double*>(from))};
  }
  static HWY_INLINE DoubleIntervals all(const DoubleInterval& one) {
    return {hn::LoadDup128(D(), reinterpret_cast<const double*>(&one))};  // two doubles, aligned to 16
  }
  HWY_INLINE void store(DoubleInterval* to) const { hn::StoreU(ends, D(), reinterpret_cast<double*>(to)); }

  HWY_INLINE DoubleIntervals operator+(const DoubleIntervals& b) const {
    const V rounded = hn::Add(ends, b.ends), zero = hn::Zero(D());
    const auto inexact = hn::And(hn::Ne(ends, zero), hn::Ne(b.ends, zero));
    return ordered(hn::Add(rounded, hn::IfThenElseZero(inexact, outward(rounded))));
  }
  HWY_INLINE DoubleIntervals operator-(const DoubleIntervals& b) const { return *this + -b; }
  HWY_INLINE DoubleIntervals operator-() const { return {swapped()}; }
  HWY_INLINE DoubleIntervals operator*(const DoubleIntervals& b) const {
    if (!not_negative() || !b.not_negative())
      return one_by_one(b, [](const DoubleInterval& x, const DoubleInterval& y) { return x * y; });
    const V zero = hn::Zero(D()), product = hn::Mul(ends, b.ends);
    const auto inexact = hn::And(hn::Ne(ends, zero), hn::Ne(b.ends, zero));
    return from_zero(hn::IfThenElseZero(inexact, up(hn::OddEven(product, hn::Neg(product)))));
  }
  HWY_INLINE DoubleIntervals operator/(const DoubleIntervals& b) const {
    if (!not_negative() || !b.positive())
      return one_by_one(b, [](const DoubleInterval& x, const DoubleInterval& y) { return x / y; });
    const V quotient = up(hn::Div(ends, hn::Abs(b.swapped())));
    return from_zero(hn::IfThenElseZero(hn::Ne(ends, hn::Zero(D())), quotient));
  }

  // A function of each of them, for what is rare.
  template <class Function>
  HWY_INLINE DoubleIntervals each(Function function) const {
    return one_by_one(*this, [&](const DoubleInterval& x, const DoubleInterval&) { return function(x); });
  }

  HWY_INLINE V swapped() const { return hn::Reverse2(D(), ends); }

 private:
  static HWY_INLINE V outward(const V& rounded) {
    return hn::Add(hn::Mul(hn::Abs(rounded), hn::Set(D(), std::numeric_limits<double>::epsilon())),
                   hn::Set(D(), std::numeric_limits<double>::min()));
  }
  static HWY_INLINE V up(const V& rounded) { return hn::Add(rounded, outward(rounded)); }
  static HWY_INLINE DoubleIntervals ordered(const V& ends) {
    const V everything = hn::Set(D(), std::numeric_limits<double>::infinity());
    return {hn::IfThenElse(hn::Le(hn::Neg(ends), hn::Reverse2(D(), ends)), ends, everything)};
  }
  static HWY_INLINE DoubleIntervals from_zero(const V& ends) {
    const V zero = hn::Zero(D());  // what is no number, as inf / inf, is not below 0 either
    return ordered(hn::OddEven(ends, hn::IfThenElse(hn::Lt(ends, zero), ends, zero)));
  }
  HWY_INLINE bool not_negative() const { return hn::AllTrue(D(), hn::Le(hn::DupEven(ends), hn::Zero(D()))); }
  HWY_INLINE bool positive() const { return hn::AllTrue(D(), hn::Lt(hn::DupEven(ends), hn::Zero(D()))); }

  template <class Operation>
  HWY_INLINE DoubleIntervals one_by_one(const DoubleIntervals& b, Operation operation) const {
    constexpr std::size_t most = hn::MaxLanes(D());
    alignas(64) double first[most], second[most];
    hn::Store(ends, D(), first), hn::Store(b.ends, D(), second);
    for (std::size_t k = 0; k < 2 * count(); k += 2) {
      const DoubleInterval one = operation(DoubleInterval::between(-first[k], first[k + 1]),
                                           DoubleInterval::between(-second[k], second[k + 1]));
      first[k] = -one.lower(), first[k + 1] = one.upper();
    }
    return {hn::Load(D(), first)};
  }
};

template <class D>
HWY_INLINE DoubleIntervals<D> max(const DoubleIntervals<D>& a, const DoubleIntervals<D>& b) {
  return {hn::OddEven(hn::Max(a.ends, b.ends), hn::Min(a.ends, b.ends))};
}

template <class D>
HWY_INLINE DoubleIntervals<D> abs(const DoubleIntervals<D>& a) {
  const auto other = a.swapped(), nearest = hn::Min(a.ends, other), farthest = hn::Max(a.ends, other);
  return {hn::OddEven(farthest, hn::Min(hn::Zero(D()), nearest))};
}

template <class D>
HWY_INLINE DoubleIntervals<D> exp(const DoubleIntervals<D>& a) {
  return a.each([](const DoubleInterval& x) { return attncert::exp(x); });
}

// `value` where a <= b does not hold, `none` where it does, and both where that is open.
template <class D, class Value>
HWY_INLINE DoubleIntervals<D> unless_less_equal(const DoubleIntervals<D>& a, const DoubleIntervals<D>& b, Value value,
                                                const DoubleIntervals<D>& none) {
  const auto yes = hn::Le(hn::DupOdd(a.ends), hn::Neg(hn::DupEven(b.ends)));
  if (hn::AllTrue(D(), yes)) return none;
  const auto no = hn::Lt(hn::DupOdd(b.ends), hn::Neg(hn::DupEven(a.ends)));
  const DoubleIntervals<D> other = value();
  const auto both = hn::Max(none.ends, other.ends);
  return {hn::IfThenElse(yes, none.ends, hn::IfThenElse(no, other.ends, both))};
}

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
