// The slopes s = v^(b - 1) of alpha-entmax, what a call has for them, and rows whose slopes need more than a double: of
// f64, or far from 1 (entmax_vjp.cpp).
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_SLOPES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_SLOPES_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_SLOPES_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_SLOPES_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/derivatives/vjp_mean.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/sparse/entmax_any-inl.h"
#include "src/normalizers/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// |b - 1| to which a last step of 2^-25 of n leaves slopes enough.
constexpr double kMostOver = 12;

// An error of the sums moves no slope by more than 2^-43 in f32, 2^-61 in f64.
template <class T>
constexpr double kSlopeDigits = sizeof(T) == 4 ? 0x1p43 : 0x1p61;

// What one call has for all rows. alpha is neither 2 nor 3/2.
template <class T>
struct EntmaxSlopes {
  AnyPower raise;
  Units unit;
  bool rises;            // alpha > 2
  Pair over, remainder;  // |b - 1|, |alpha - 2|

  HWY_INLINE explicit EntmaxSlopes(const Batch<T>& batch)
      : raise(batch.parameters, units(batch.scale).temperature), unit(units(batch.scale)) {
    rises = raise.above > raise.denominator;
    const Pair distance = pair_of(rises ? raise.above - raise.denominator : raise.denominator - raise.above);
    over = ratio(distance, pair_of(raise.above));
    remainder = ratio(distance, pair_of(raise.denominator));
    raise.digits = std::max(kSlopeDigits<T> * over.high, 1.0);
    raise.in_pairs = rises || over.high > kMostOver;
  }
};

// log2(s) of a row's logits. Beyond 2^13000 a gradient is infinite in any format or 0.
template <class T>
class Exponents {
 public:
  HWY_INLINE Exponents(const EntmaxSlopes<T>& slopes, T lowest, const AnyGap& gap)
      : unit_(slopes.unit),
        rate_(all_lanes(slopes.raise.exact_rate)),
        gap_(all_lanes(gap.n)),
        over_(all_lanes(slopes.rises ? Pair{-slopes.over.high, -slopes.over.low} : slopes.over)),
        base_(hn::Set(Doubles(), static_cast<double>(lowest) * slopes.unit.down)) {
    if (gap.floor.high > 0) {  // v is below kLeast, p is known: s = p^(2 - alpha)
      const PairV power = multiply(log2_pair(all_lanes(gap.floor)), all_lanes(slopes.remainder));
      floor_ = slopes.rises ? PairV{hn::Neg(power.high), hn::Neg(power.low)} : power;
    } else {
      floor_ = multiply(log2_pair(all_lanes({kLeast, 0})), over_);
    }
  }

  HWY_INLINE PairV operator()(DoubleV x) const {
    const Doubles d;
    const PairV moved = two_sum(hn::Mul(x, hn::Set(d, unit_.down)), hn::Neg(base_));
    const DoubleV up = hn::Set(d, unit_.up), least = hn::Set(d, kLeast);
    PairV v = multiply(add({hn::Mul(moved.high, up), hn::Mul(moved.low, up)}, gap_), rate_);
    const auto enough = hn::Gt(v.high, least);
    v = {hn::IfThenElse(enough, v.high, least), hn::IfThenElseZero(enough, v.low)};
    const PairV y = multiply(log2_pair(v), over_), most{hn::Set(d, 13000.0), hn::Zero(d)};
    const DoubleV high = hn::IfThenElse(enough, y.high, floor_.high);
    const auto within = hn::Le(hn::Abs(high), most.high);
    return {hn::Max(hn::Neg(most.high), hn::Min(high, most.high)),
            hn::IfThenElseZero(within, hn::IfThenElse(enough, y.low, floor_.low))};
  }

 private:
  Units unit_;
  PairV rate_, gap_, over_, floor_{hn::Zero(Doubles()), hn::Zero(Doubles())};
  DoubleV base_;
};

// The same of a row that pairs of doubles do not serve.
template <class T, class Visit>
HWY_NOINLINE void walk_small_slopes(const vjp::Row<T>& row, const SmallRow<T>& small, const Visit& visit) {
  T last = std::numeric_limits<T>::infinity();
  long double s = 0;
  for (std::size_t i = 0; i < row.length; ++i) {
    if (row.logits[i] != last) s = small.slope(last = row.logits[i]);
    visit(i, s);
  }
}

// visit(i, s): s = 0 off the support. The logits of a vector are read before its first visit: rows in place.
template <class T, class Visit>
HWY_INLINE void walk_slopes(const vjp::Row<T>& row, T lowest, const Exponents<T>& exponents, Visit visit) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const DoubleV least = hn::Set(d, static_cast<double>(lowest)), magic = hn::Set(d, 0x1.8p52);
  HWY_ALIGN double high[HWY_MAX_BYTES / sizeof(double)], low[HWY_MAX_BYTES / sizeof(double)];
  HWY_ALIGN double power[HWY_MAX_BYTES / sizeof(double)];
  for (std::size_t i = 0; i < row.length; i += lanes) {
    const std::size_t count = std::min(lanes, row.length - i);
    const DoubleV x = wide::load(row.logits + i, count);
    const auto inside = hn::Ge(x, least);
    if (hn::AllFalse(d, inside)) {
      for (std::size_t j = 0; j < count; ++j) visit(i + j, 0.0L);
      continue;
    }
    const PairV y = exponents(hn::IfThenElse(inside, x, least));
    const DoubleV n = hn::Sub(hn::Add(y.high, magic), magic);
    const PairV s = exp2_pair_near_zero(fast_two_sum(hn::Sub(y.high, n), y.low));
    hn::Store(hn::IfThenElseZero(inside, s.high), d, high);
    hn::Store(hn::IfThenElseZero(inside, s.low), d, low);
    hn::Store(n, d, power);
    for (std::size_t j = 0; j < count; ++j) {
      const long double fraction = static_cast<long double>(high[j]) + static_cast<long double>(low[j]);
      visit(i + j, std::ldexp(fraction, static_cast<int>(power[j])));
    }
  }
}

// A row whose slopes need more than a double: of f64, or far from 1.
template <class T>
HWY_NOINLINE void write_far_row(const EntmaxSlopes<T>& slopes, const Scale<T>& scale, const vjp::Row<T>& row, T lowest,
                                const AnyGap& gap, long double rate) {
  const Exponents<T> exponents(slopes, lowest, gap);
  std::optional<SmallRow<T>> small;
  if (HWY_UNLIKELY(gap.small.given())) small.emplace(law_of(slopes.raise, scale), lowest, gap.small);
  const auto walk = [&](const auto& visit) HWY_ATTR {
    small ? walk_small_slopes(row, *small, visit) : walk_slopes(row, lowest, exponents, visit);
  };
  UpstreamMean mean;
  walk([&](std::size_t i, long double s) {
    if (s > 0) mean.add(s, static_cast<long double>(row.upstream[i]));
  });
  mean.close();
  walk([&](std::size_t i, long double s) {
    const long double g = s > 0 ? mean.centred(static_cast<long double>(row.upstream[i])) : 0;
    row.gradient[i] = static_cast<T>(s * g * rate);
  });
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
