// V1 of the self-adjusted softmax, (z_i - min) p_i / T, where max - min >= 2^60 T: the distances exceed all weights by
// so much that p_i matters down to 2^-3200, which no double holds. So p_i stays a number times 2^n until the end, and
// the exponentials are computed twice, once for their sum. Every p_i that counts has a distance above half of the
// range.
#if defined(ATTNCERT_NORMALIZERS_SA_FAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SA_FAR_INL_H
#undef ATTNCERT_NORMALIZERS_SA_FAR_INL_H
#else
#define ATTNCERT_NORMALIZERS_SA_FAR_INL_H
#endif

#include "hwy/highway.h"
#include "src/normalizers/separable/exp_pair-inl.h"
#include "src/normalizers/separable/separable-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace wide {

// (z down - base) up = (z - bottom) 2^power, and its value at the top as high + low, in [1, 2) but at the ends of the
// format.
struct RangeDistance {
  double base, down, up, high, low;
  int power;
};

HWY_INLINE RangeDistance range_distance(double bottom, double top) {
  const double range = top - bottom;
  const int power = std::isinf(range) ? -1022 : std::clamp(-std::ilogb(range), -1022, 1023);
  const double down = std::ldexp(1.0, std::min(power, 0)), up = std::ldexp(1.0, std::max(power, 0));
  const double high = top * down - bottom * down, part = high - top * down;
  const double low = (top * down - (high - part)) + (-bottom * down - part);  // Knuth's TwoSum
  return {bottom * down, down, up, high * up, low * up, power};
}

// exp((z - max) / T) as a number in (0.7, 1.5) times 2^n; n = kNothing where it never counts.
class FarExp {
 public:
  static constexpr double kNothing = -5000;

  HWY_INLINE FarExp(const Scale<double>& scale, double largest)
      : exp_(scale),
        down_(set(scale.down)),
        up_(set(scale.up)),
        peak_(set(-largest * scale.down)),
        floor_(set(-kFarDepth * scale.temperature)) {}

  HWY_INLINE PairExp::Parts operator()(V z) const {
    const Pair difference = two_sum(hn::Mul(z, down_), peak_);
    const V a = hn::Mul(difference.high, up_);
    const auto below = hn::Lt(a, floor_);
    const V low = hn::IfThenZeroElse(below, hn::Mul(difference.low, up_));
    const PairExp::Parts e = exp_(hn::IfThenElse(below, floor_, a), low);
    return {e.high, e.low, hn::IfThenElse(below, set(kNothing), e.n)};
  }

  // What the sum needs of it: below 2^-1000 nothing.
  HWY_INLINE Pair term(V z) const {
    const PairExp::Parts e = (*this)(z);
    const auto seen = hn::Gt(e.n, set(-1000));
    const V power = hn::IfThenElseZero(seen, power_of_two(hn::IfThenElseZero(seen, e.n)));
    return {hn::Mul(e.high, power), hn::Mul(e.low, power)};
  }

 private:
  static constexpr double kFarDepth = 2300;  // e^-2300 < 2^-3318, and (max - min) / T < 2^2099; |n| < 2^12

  PairExp exp_;
  V down_, up_, peak_, floor_;
};

class FarWeights {
 public:
  HWY_INLINE FarWeights(const Scale<double>& scale, const FarExp& exp, const Census& row, const DoubleSum& sum)
      : exp_(exp) {
    const RangeDistance range = range_distance(row.smallest, row.largest);
    const double high = sum.high * scale.exact_temperature;
    const double low = std::fma(sum.high, scale.exact_temperature, -high) + sum.low * scale.exact_temperature;
    divisor_ = set(high + low);
    base_ = set(range.base);
    down_ = set(range.down);
    up_ = set(range.up);
    power_ = set(std::ilogb(scale.down) + std::ilogb(scale.up) - range.power);
  }

  HWY_INLINE V operator()(V z) const {
    const PairExp::Parts e = exp_(z);
    const V d = hn::Mul(hn::Sub(hn::Mul(z, down_), base_), up_);
    const V share = hn::Div(hn::Mul(d, e.high), divisor_);  // above 2^-36 where it counts
    const V n = hn::Min(hn::Max(hn::Add(e.n, power_), set(-1400)), set(1200));
    const V first = hn::Min(hn::Max(n, set(-900)), set(900));
    const V scaled = hn::Mul(hn::Mul(share, power_of_two(first)), power_of_two(hn::Sub(n, first)));
    return hn::IfThenZeroElse(hn::Eq(e.n, set(FarExp::kNothing)), scaled);
  }

 private:
  const FarExp& exp_;
  V divisor_ = set(1), power_ = set(0), base_ = set(0), down_ = set(1), up_ = set(1);
};

template <class T>
HWY_INLINE void far_row(const Scale<double>& scale, const Census& row, const T* x, T* y, std::size_t length) {
  const FarExp exp(scale, row.largest);
  CompensatedSum<D> sum{D()};
  for (std::size_t i = 0; i < length; i += hn::Lanes(D())) {
    const Pair e = exp.term(load(x + i, length - i));
    sum.add(e.high);
    sum.rest = hn::Add(sum.rest, e.low);
  }
  const FarWeights weights(scale, exp, row, add_lanes(D(), sum));
  for (std::size_t i = 0; i < length; i += hn::Lanes(D())) {
    store(weights(load(x + i, length - i)), y + i, length - i);
  }
}

}  // namespace wide
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
