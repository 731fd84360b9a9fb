// The weights of sparsemax once theta is known: (x - theta) / T with x - theta = ((x - c) - head) - tail, where c = max
// and head + tail = -delta if x - max is exact (Sterbenz: |max| >= 2 delta), else c = 0 and head + tail = theta, which
// then is at most 3 delta in size. Weights too small for the two terms are computed again, one by one.
#if defined(ATTNCERT_NORMALIZERS_SPARSEMAX_WEIGHTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SPARSEMAX_WEIGHTS_INL_H
#undef ATTNCERT_NORMALIZERS_SPARSEMAX_WEIGHTS_INL_H
#else
#define ATTNCERT_NORMALIZERS_SPARSEMAX_WEIGHTS_INL_H
#endif

#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/sparsemax_solve-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

// Where the two terms of theta stop carrying enough digits, as a share of delta, and where the pair of doubles does.
// f32: the tail errs by 3 delta 2^-49, 0.2 u of a weight of 2^-20 delta. f64: delta errs by n 2^-105 <= 2^-85 for rows
// of 2^20, 2^-57 of a weight of 2^-28 delta; there the pair of doubles is all there is.
template <class T>
constexpr double kVectorLimit = sizeof(T) == 4 ? 0x1p-20 : 0x1p-28;
template <class T>
constexpr double kPairLimit = sizeof(T) == 4 ? 0x1p-50 : 0x1p-28;

template <class T>
struct Offsets {
  T subtract, head, tail;  // in the units of Scale<T>
  T small;                 // smallest numerator that the vector formula may serve
};

template <class T>
HWY_INLINE Offsets<T> offsets(const Scale<T>& scale, T largest, const Threshold<T>& threshold) {
  const Units unit = units(scale);
  const double peak = static_cast<double>(largest) * unit.down * unit.up;
  const double factor = sizeof(T) == 4 ? static_cast<double>(scale.down) * static_cast<double>(scale.up) : 1;
  const bool from_peak = !(std::abs(peak) < 2 * threshold.delta.high);
  const Pair minus_delta = {-threshold.delta.high, -threshold.delta.low};
  const Pair theta = from_peak ? minus_delta : add({peak, 0}, minus_delta);
  const T head = static_cast<T>(theta.high * factor);
  const T tail = static_cast<T>((theta.high * factor - static_cast<double>(head)) + theta.low * factor);
  const T small = static_cast<T>(threshold.delta.high * kVectorLimit<T> * factor);
  return {from_peak ? largest * scale.down : T(0), head, tail, small};
}

// One weight in doubles, or exactly.
template <class T>
class SmallWeights {
 public:
  SmallWeights(const Scale<T>& scale, const Threshold<T>& threshold, const Candidates<T>& candidates)
      : scale_(scale), threshold_(threshold), candidates_(candidates) {}

  T of(T logit) {
    const Units unit = units(scale_);
    DoubleSum difference;
    difference.add(static_cast<double>(candidates_.largest) * unit.down);
    difference.add(-static_cast<double>(logit) * unit.down);
    DoubleSum numerator;
    numerator.add(threshold_.delta.high);
    numerator.add(-difference.high * unit.up);
    const double value = numerator.high + (numerator.low + (threshold_.delta.low - difference.low * unit.up));
    if (value >= threshold_.delta.high * kPairLimit<T>) return static_cast<T>(value / unit.temperature);
    return static_cast<T>(exact_.of(logit, candidates_.logits, candidates_.count, scale_.given, threshold_.lowest));
  }

 private:
  const Scale<T>& scale_;
  const Threshold<T>& threshold_;
  const Candidates<T>& candidates_;
  ExactWeights exact_;
};

template <class D, class T = Lane<D>>
class WeightWriter {
 public:
  using V = hn::Vec<D>;

  HWY_INLINE WeightWriter(D d, const Scale<T>& scale, const Offsets<T>& offset, T lowest)
      : unit_(scale.unit),
        lowest_(hn::Set(d, lowest)),
        down_(hn::Set(d, scale.down)),
        up_(hn::Set(d, scale.up)),
        subtract_(hn::Set(d, offset.subtract)),
        head_(hn::Set(d, offset.head)),
        tail_(hn::Set(d, offset.tail)),
        small_(hn::Set(d, offset.small)),
        inverse_(hn::Set(d, scale.inverse)),
        inverse_tail_(hn::Set(d, scale.inverse_tail)) {}

  HWY_INLINE hn::Mask<D> inside(V x) const { return hn::Ge(x, lowest_); }

  // The weights of x; `again` gets the lanes that need SmallWeights.
  HWY_INLINE V of(V x, hn::Mask<D>& again) const {
    const V moved = hn::Mul(hn::Sub(hn::Mul(x, down_), subtract_), up_);
    const V difference = hn::Sub(moved, head_), part = hn::Sub(difference, moved);
    const V lost = hn::Sub(hn::Sub(moved, hn::Sub(difference, part)), hn::Add(head_, part));
    const V numerator = hn::Add(difference, hn::Sub(lost, tail_));
    again = hn::And(inside(x), hn::Lt(numerator, small_));
    const V weight = unit_ ? numerator : quotient(numerator);
    return hn::IfThenElseZero(inside(x), weight);
  }

 private:
  // numerator (inverse + inverse_tail), rounded once: 1 ulp with the numerator's own rounding, which just below a power
  // of two is 2 of that value's ulps. Without a fused multiply-add the product's error comes from halves (Veltkamp's
  // splitting, Dekker's product, Numer. Math. 18, 1971); T is in [1, 2) by scale.hpp, so nothing overflows in it.
  HWY_INLINE V quotient(V numerator) const {
    const V rest = hn::Mul(numerator, inverse_tail_);
#if HWY_NATIVE_FMA
    return hn::MulAdd(numerator, inverse_, rest);
#else
    const V product = hn::Mul(numerator, inverse_);
    const V a = upper_half(numerator), b = hn::Sub(numerator, a);
    const V c = upper_half(inverse_), e = hn::Sub(inverse_, c);
    const V crossed = hn::Add(hn::Mul(a, e), hn::Mul(b, c));
    const V error = hn::Add(hn::Add(hn::Sub(hn::Mul(a, c), product), crossed), hn::Mul(b, e));
    return hn::Add(product, hn::Add(error, rest));
#endif
  }

  HWY_INLINE V upper_half(V v) const {
    const V moved = hn::Mul(v, hn::Set(D(), sizeof(T) == 4 ? T(0x1.001p12) : T(0x1.0000002p27)));
    return hn::Sub(moved, hn::Sub(moved, v));
  }

  bool unit_;
  V lowest_, down_, up_, subtract_, head_, tail_, small_, inverse_, inverse_tail_;
};

template <class D, class T = Lane<D>>
HWY_INLINE void write_weights(D d, const Scale<T>& scale, T largest, const Threshold<T>& threshold, const T* x, T* y,
                              std::size_t length, const Candidates<T>& candidates) {
  const std::size_t lanes = hn::Lanes(d);
  const WeightWriter<D> writer(d, scale, offsets(scale, largest, threshold), threshold.lowest);
  SmallWeights<T> small(scale, threshold, candidates);
  const auto write = [&](hn::Vec<D> v, std::size_t i, std::size_t count) HWY_ATTR {
    if (hn::AllFalse(d, writer.inside(v))) {
      count == lanes ? hn::StoreU(hn::Zero(d), d, y + i) : store_tail(d, hn::Zero(d), y + i, count);
      return;
    }
    hn::Mask<D> again;
    hn::Vec<D> weights = writer.of(v, again);
    if (HWY_UNLIKELY(!hn::AllFalse(d, again))) {
      HWY_ALIGN T logit[HWY_MAX_BYTES / sizeof(T)], weight[HWY_MAX_BYTES / sizeof(T)], doubt[HWY_MAX_BYTES / sizeof(T)];
      hn::Store(v, d, logit);
      hn::Store(weights, d, weight);
      hn::Store(hn::IfThenElseZero(again, hn::Set(d, T(1))), d, doubt);
      for (std::size_t j = 0; j < lanes; ++j) weight[j] = doubt[j] != 0 ? small.of(logit[j]) : weight[j];
      weights = hn::Load(d, weight);
    }
    count == lanes ? hn::StoreU(weights, d, y + i) : store_tail(d, weights, y + i, count);
  };
  std::size_t i = 0;
  for (; i + lanes <= length; i += lanes) write(hn::LoadU(d, x + i), i, lanes);
  if (i < length) write(load_tail(d, x + i, length - i), i, length - i);
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
