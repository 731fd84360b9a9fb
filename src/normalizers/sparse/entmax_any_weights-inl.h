// The weights of a general alpha, as entmax_weights-inl.h asks for them.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_ANY_WEIGHTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_ANY_WEIGHTS_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_ANY_WEIGHTS_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_ANY_WEIGHTS_INL_H
#endif

#include <bit>
#include <cmath>
#include <optional>

#include "hwy/highway.h"
#include "src/normalizers/sparse/entmax_any-inl.h"
#include "src/normalizers/sparse/entmax_weights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// The weights of a row for which pairs of doubles are not exact enough, one by one.
template <class T>
class SmallWeights {
 public:
  SmallWeights(const AnyPower& raise, const Scale<T>& scale, T lowest, const AnyGap& gap) {
    if (HWY_UNLIKELY(gap.small.given())) row_.emplace(law_of(raise, scale), lowest, gap.small);
  }
  HWY_INLINE bool given() const { return row_.has_value(); }
  template <class D>
  HWY_NOINLINE hn::Vec<D> of(D d, hn::Vec<D> x) const {
    HWY_ALIGN T values[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(x, d, values);
    T last = values[0];
    T weight = static_cast<T>(row_->weight(last));
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      if (values[i] != last) weight = static_cast<T>(row_->weight(last = values[i]));
      values[i] = weight;
    }
    return hn::Load(d, values);
  }

 private:
  std::optional<SmallRow<T>> row_;
};

// f32: v loses its last bits first, so that two of them are equal or their powers are farther apart than an error of
// the power: order is kept. 34 bits and those of b remain: 2^-33 of the weight.
template <>
class Weights<AnyPower, float> {
 public:
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;

  HWY_INLINE Weights(const AnyPower& raise, const Scale<float>& scale, float lowest, const AnyGap& gap)
      : raise_(raise),
        small_(raise, scale, lowest, gap),
        lowest_(hn::Set(D(), lowest)),
        base_(hn::Set(Doubles(), static_cast<double>(lowest))),
        gap_(hn::Set(Doubles(), gap.n.high)),
        rate_(hn::Set(Doubles(), raise.rate)),
        floor_(hn::Set(Doubles(), gap.floor.high)) {
    const int bits = std::clamp(34 + std::ilogb(raise.exponent) + 1, 20, 52);
    const std::uint64_t mask = ~std::uint64_t{0} << (52 - bits);
    kept_ = hn::Set(Doubles(), std::bit_cast<double>(mask));
  }

  HWY_INLINE V lowest() const { return lowest_; }
  HWY_INLINE V of(V x) const {
    if (HWY_UNLIKELY(small_.given())) return small_.of(D(), x);
    const auto weight = [this](DoubleV z) HWY_ATTR {
      const Doubles d;
      const auto inside = hn::Ge(z, base_);
      if (hn::AllFalse(d, inside)) return hn::Zero(d);  // a power costs more than the question
      const DoubleV v = hn::And(hn::Mul(hn::Add(hn::Sub(z, base_), gap_), rate_), kept_);
      return hn::IfThenElseZero(inside, hn::IfThenElse(hn::Gt(v, hn::Set(d, kLeast)), raise_.of(v), floor_));
    };
    return through_doubles(D(), x, weight);
  }

 private:
  const AnyPower& raise_;
  SmallWeights<float> small_;
  V lowest_;
  DoubleV base_, gap_, rate_, floor_, kept_;
};

template <>
class Weights<AnyPower, double> {
 public:
  using D = Doubles;
  using V = DoubleV;

  HWY_INLINE Weights(const AnyPower& raise, const Scale<double>& scale, double lowest, const AnyGap& gap)
      : raise_(raise),
        small_(raise, scale, lowest, gap),
        lowest_(hn::Set(D(), lowest)),
        base_(hn::Set(D(), lowest * scale.down)),
        down_(hn::Set(D(), scale.down)),
        up_(hn::Set(D(), scale.up)),
        floor_(hn::Set(D(), gap.floor.high)),
        rate_(hn::Set(D(), raise.rate)),
        gap_(all_lanes(gap.n)) {}

  HWY_INLINE V lowest() const { return lowest_; }
  HWY_INLINE V of(V x) const {
    if (HWY_UNLIKELY(small_.given())) return small_.of(D(), x);
    const auto inside = hn::Ge(x, lowest_);
    const V scaled = hn::Mul(hn::IfThenElse(inside, x, lowest_), down_);
    const PairV rise = two_sum(scaled, hn::Neg(base_));
    const PairV w = add({hn::Mul(rise.high, up_), hn::Mul(rise.low, up_)}, gap_);
    const V weight =
        hn::IfThenElse(hn::Gt(hn::Mul(w.high, rate_), hn::Set(D(), kLeast)), power_pair(raise_, w).high, floor_);
    return hn::IfThenElseZero(inside, weight);
  }

 private:
  const AnyPower& raise_;
  SmallWeights<double> small_;
  V lowest_, base_, down_, up_, floor_, rate_;
  PairV gap_;
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
