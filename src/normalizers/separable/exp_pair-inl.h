// exp(a / T') = (high + low) 2^n, high + low within 2^-54 of itself: n = rint(a log2(e) / T'), t = a / T' - n ln2 in
// units of T' as in scale.hpp, but as a pair, so neither a / T' nor t is rounded; exp(t) = 1 + t + t^2 q(t) with
// Taylor's q to t^13 (the rest is 2^-57.8), where 1 + t is exact and only t^2 q, below 0.07, rounds.
#if defined(ATTNCERT_NORMALIZERS_EXP_PAIR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_EXP_PAIR_INL_H
#undef ATTNCERT_NORMALIZERS_EXP_PAIR_INL_H
#else
#define ATTNCERT_NORMALIZERS_EXP_PAIR_INL_H
#endif

#include "hwy/highway.h"
#include "src/normalizers/scale.hpp"
#include "src/normalizers/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace wide {

// n head of scale.hpp is exact for |n| < 2^12: (reach + depth) / ln2 stays below 3969.
constexpr double kReach = 1900;    // beyond it the largest logit is subtracted: exact for all that matter (Sterbenz)
constexpr double kDepth = 850;     // e^-850 < 2^-1226: even 2^52 times it (a z / T whose spacing is 1) rounds to zero
constexpr double kHeadroom = 240;  // the largest exponential of a row is about 2^240, the smallest above 2^-990

class PairExp {
 public:
  struct Parts {
    V high, low, n;
  };

  HWY_INLINE explicit PairExp(const Scale<double>& scale)
      : rate_(set(scale.rate)),
        head_(set(scale.head)),
        tail_(set(scale.tail)),
        inverse_(set(scale.inverse)),
        inverse_tail_(set(scale.inverse_tail)) {}

  // a + low, |a| <= (reach + depth) T', |low| <= ulp(a).
  HWY_INLINE Parts operator()(V a, V low) const {
    const V round = set(0x1.8p52);
    const V n = hn::Sub(hn::MulAdd(a, rate_, round), round);
    const Pair reduced = fast_two_sum(hn::Sub(a, hn::Mul(n, head_)), hn::Sub(low, hn::Mul(n, tail_)));
    const Pair product = two_product(reduced.high, inverse_);
    const V rest = hn::MulAdd(reduced.high, inverse_tail_, hn::Mul(reduced.low, inverse_));
    const V t = product.high, t_low = hn::Add(product.low, rest);  // |t_low| <= 2 u |t|
    const V curve = hn::Mul(hn::Mul(t, t), series(t));
    const Pair line = fast_two_sum(set(1), t);
    const Pair result = fast_two_sum(line.high, hn::Add(line.low, hn::Add(curve, hn::MulAdd(t_low, t, t_low))));
    return {result.high, result.low, n};
  }

 private:
  // 1/2! + t/3! + ... + t^11/13!
  HWY_INLINE V series(V t) const {
    constexpr double factorials[] = {6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2};
    V q = set(1 / factorials[0]);
    for (std::size_t k = 1; k < 12; ++k) q = hn::MulAdd(q, t, set(1 / factorials[k]));
    return q;
  }

  V rate_, head_, tail_, inverse_, inverse_tail_;
};

// Where the exponentials of a row stand: a = (x down - subtract) up, relative to 2^n.
struct RowPlace {
  double subtract, floor, n;  // below `floor` (in units of a) nothing is left
};

HWY_INLINE RowPlace row_place(const Scale<double>& scale, double largest) {
  const double peak = largest * scale.down * scale.up;  // may overflow: then it is out of reach
  const bool beyond = !(std::abs(peak) <= kReach * scale.temperature);
  const double kept = beyond ? 0 : peak;
  return {beyond ? largest * scale.down : 0, kept - kDepth * scale.temperature, std::rint(kept * scale.rate)};
}

// exp(x / T) of a row, up to a factor common to the row: weight + rest, nothing below the floor.
class RowPairExp {
 public:
  HWY_INLINE RowPairExp(const Scale<double>& scale, double largest)
      : exp_(scale), down_(set(scale.down)), up_(set(scale.up)) {
    const RowPlace place = row_place(scale, largest);
    subtract_ = set(place.subtract);
    floor_ = set(place.floor);
    n_ = set(place.n - kHeadroom);
  }

  HWY_INLINE Pair operator()(V x) const {
    const V a = hn::Mul(hn::Sub(hn::Mul(x, down_), subtract_), up_);
    const auto below = hn::Lt(a, floor_);
    const PairExp::Parts e = exp_(hn::IfThenElse(below, floor_, a), hn::Zero(D()));
    const V power = hn::IfThenZeroElse(below, power_of_two(hn::Sub(e.n, n_)));
    return {hn::Mul(e.high, power), hn::Mul(e.low, power)};
  }

 private:
  PairExp exp_;
  V down_, up_, subtract_ = set(0), floor_ = set(0), n_ = set(0);
};

}  // namespace wide
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
