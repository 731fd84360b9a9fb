// The extent of a row; its exponentials, stored and summed on the way; the sum of pairs. docs/double-double.md, 2 and
// 3.
#include "properties/conformance/double_double/row_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "properties/conformance/double_double/row_pass.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cstring>

#include "properties/conformance/double_double/exp-inl.h"
#include "properties/conformance/double_double/exponentials.hpp"
#include "properties/conformance/double_double/row-inl.h"
#include "properties/conformance/double_double/sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

// The first `count` elements, `beyond` in the other lanes.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_part(D d, const T* x, std::size_t count, T beyond) {
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
  std::fill(buffer, buffer + hn::Lanes(d), beyond);
  std::memcpy(buffer, x, count * sizeof(T));
  return hn::LoadU(d, buffer);
}

template <class T>
class ExtentScan {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  HWY_INLINE ExtentScan()
      : largest_(hn::Set(D(), -infinity<T>)),
        smallest_(hn::Set(D(), infinity<T>)),
        absent_(hn::Zero(D())),
        refused_(hn::Zero(D())) {}

  HWY_INLINE void take(V x) {
    const D d;
    const auto absent = hn::Eq(x, hn::Set(d, -infinity<T>));
    largest_ = hn::Max(largest_, x);
    smallest_ = hn::Min(smallest_, hn::IfThenElse(absent, hn::Set(d, infinity<T>), x));
    const auto flag = hn::Set(d, T{1});
    absent_ = hn::Or(absent_, hn::IfThenElseZero(absent, flag));
    // NaN fails every comparison
    refused_ = hn::Or(refused_, hn::IfThenZeroElse(hn::Or(absent, hn::Le(hn::Abs(x), hn::Set(d, bound))), flag));
  }

  HWY_INLINE Extent<T> result() const {
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    const std::size_t n = hn::Lanes(D());
    const auto worst = [&](V v, bool largest) HWY_ATTR {
      hn::Store(v, D(), lanes);
      return largest ? *std::max_element(lanes, lanes + n) : *std::min_element(lanes, lanes + n);
    };
    return {worst(smallest_, false), worst(largest_, true), worst(absent_, true) != 0, worst(refused_, true) != 0};
  }

 private:
  static constexpr T bound = sizeof(T) == 4 ? std::numeric_limits<T>::max() : static_cast<T>(largest_logit);
  V largest_, smallest_, absent_, refused_;
};

template <class T>
HWY_INLINE Extent<T> scan_extent(const T* x, std::size_t length) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  ExtentScan<T> even, odd;
  std::size_t i = 0;
  for (; i + 2 * lanes <= length; i += 2 * lanes) {
    even.take(hn::LoadU(d, x + i));
    odd.take(hn::LoadU(d, x + i + lanes));
  }
  for (; i + lanes <= length; i += lanes) even.take(hn::LoadU(d, x + i));
  if (i < length) odd.take(load_part(d, x + i, length - i, x[i]));
  const Extent<T> a = even.result(), b = odd.result();
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest), a.any_absent || b.any_absent,
          a.any_refused || b.any_refused};
}

template <class D, class T, bool kUnit, bool kPlain>
class RowExponentials {
 public:
  using V = hn::Vec<D>;
  HWY_INLINE RowExponentials(D d, const RowPass& pass, const T* logits, const PowerTable& table)
      : d_(d),
        logits_(logits),
        high_(pass.high),
        low_(pass.low),
        length_(pass.length),
        pivot_(hn::Set(d, pass.pivot)),
        factor_{hn::Set(d, pass.factor.high), hn::Set(d, pass.factor.low)},
        exponential_(d, table) {}

  HWY_INLINE VectorPair<V> operator()(std::size_t i) const { return store<kPlain>(i, widened(d_, logits_ + i)); }

  // The end of a row: what lies beyond it takes no part.
  HWY_INLINE VectorPair<V> part(std::size_t i) const {
    const std::size_t left = length_ - i;
    if (left >= hn::Lanes(d_)) return store<false>(i, widened(d_, logits_ + i));
    return store<false>(i, widened_part(d_, logits_ + i, left, -infinity<T>));
  }

 private:
  template <bool kAllPresent>
  HWY_INLINE VectorPair<V> store(std::size_t i, V logits) const {
    const auto absent = hn::Eq(logits, hn::Set(d_, -infinity<double>));
    if constexpr (!kAllPresent) logits = hn::IfThenElse(absent, pivot_, logits);
    VectorPair<V> value = exponential_(argument(logits));
    if constexpr (!kAllPresent) {
      const V nan = hn::Set(d_, std::numeric_limits<double>::quiet_NaN());
      hn::StoreU(hn::IfThenElse(absent, nan, value.high), d_, high_ + i);
      hn::StoreU(value.low, d_, low_ + i);
      return {hn::IfThenZeroElse(absent, value.high), hn::IfThenZeroElse(absent, value.low)};
    }
    hn::StoreU(value.high, d_, high_ + i);
    hn::StoreU(value.low, d_, low_ + i);
    return value;
  }

  HWY_INLINE VectorPair<V> argument(V logits) const {
    VectorPair<V> x = scaled_difference<kUnit>(d_, logits, pivot_, factor_);
    if constexpr (!kPlain) {
      const V deepest = hn::Set(d_, deepest_argument);
      // an overflowed product is -inf with a NaN behind it
      const auto deep = hn::Not(hn::Gt(x.high, deepest));
      x = {hn::IfThenElse(deep, deepest, x.high), hn::IfThenZeroElse(deep, x.low)};
    }
    return x;
  }

  D d_;
  const T* logits_;
  double *high_, *low_;
  std::size_t length_;
  V pivot_;
  VectorPair<V> factor_;
  Exponential<D> exponential_;
};

template <bool kUnit, bool kPlain, class T>
HWY_INLINE DoubleDouble row(const RowPass& pass, const T* logits) {
  static const PowerTable table;
  using D = hn::ScalableTag<double>;
  const D d;
  const RowExponentials<D, T, kUnit, kPlain> value(d, pass, logits, table);
  const RowExponentials<D, T, false, false> general(d, pass, logits, table);
  return sum_vectors(d, pass.length, value, [&](std::size_t i) HWY_ATTR { return general.part(i); });
}

// The general form gives the same bits; the others save it steps that change nothing, where that counts.
template <class T>
HWY_INLINE DoubleDouble row_exponentials(const RowPass& pass, const T* logits) {
#if HWY_NATIVE_FMA
  if (pass.plain && pass.factor.high == 1 && pass.factor.low == 0) return row<true, true>(pass, logits);
  if (pass.plain) return row<false, true>(pass, logits);
#endif
  return row<false, false>(pass, logits);
}

Extent<float> extent_f32(const float* x, std::size_t length) { return scan_extent(x, length); }
Extent<double> extent_f64(const double* x, std::size_t length) { return scan_extent(x, length); }
DoubleDouble exponentials_f32(const RowPass& pass, const float* x) { return row_exponentials(pass, x); }
DoubleDouble exponentials_f64(const RowPass& pass, const double* x) { return row_exponentials(pass, x); }

DoubleDouble sum_pairs(const double* high, const double* low, std::size_t count) {
  const hn::ScalableTag<double> d;
  using V = hn::Vec<decltype(d)>;
  const auto pair = [=](std::size_t i) HWY_ATTR {
    const std::size_t left = count - i;
    const bool part = left < hn::Lanes(d);
    const V a = part ? load_part(d, high + i, left, 0.0) : hn::LoadU(d, high + i);
    const V b = part ? load_part(d, low + i, left, 0.0) : hn::LoadU(d, low + i);
    const auto present = hn::Eq(a, a);
    return VectorPair<V>{hn::IfThenElseZero(present, a), hn::IfThenElseZero(present, b)};
  };
  return sum_vectors(d, count, pair, pair);
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_double {

HWY_EXPORT(extent_f32);
HWY_EXPORT(extent_f64);
HWY_EXPORT(exponentials_f32);
HWY_EXPORT(exponentials_f64);
HWY_EXPORT(sum_pairs);

Extent<float> extent(const float* x, std::size_t length) { return HWY_DYNAMIC_DISPATCH(extent_f32)(x, length); }
Extent<double> extent(const double* x, std::size_t length) { return HWY_DYNAMIC_DISPATCH(extent_f64)(x, length); }
DoubleDouble exponentials(const RowPass& pass, const float* x) {
  return HWY_DYNAMIC_DISPATCH(exponentials_f32)(pass, x);
}
DoubleDouble exponentials(const RowPass& pass, const double* x) {
  return HWY_DYNAMIC_DISPATCH(exponentials_f64)(pass, x);
}
DoubleDouble sum(const double* high, const double* low, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(sum_pairs)(high, low, count);
}

}  // namespace attncert::double_double
#endif  // HWY_ONCE
