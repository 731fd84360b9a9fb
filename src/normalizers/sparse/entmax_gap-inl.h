// The gap n = r - tau > 0 between the smallest logit r of the support and the threshold: every weight is ((z - r) + n)
// to a power, a sum of positive terms, so no weight, however small, loses digits that n has.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_GAP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_GAP_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_GAP_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_GAP_INL_H
#endif

#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/pairs-inl.h"
#include "src/normalizers/sparse/entmax_support-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

using Pair = PairOf<double>;
using PairV = PairOf<DoubleV>;  // lane by lane

HWY_INLINE Pair add(Pair a, Pair b) {
  const Pair sum = two_sum(a.high, b.high);
  return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}
HWY_INLINE Pair times(Pair a, double b) {
  const Pair product = two_product(a.high, b);
  return fast_two_sum(product.high, product.low + a.low * b);
}

HWY_INLINE PairV add(PairV a, PairV b) {
  const PairV sum = two_sum(a.high, b.high);
  return fast_two_sum(sum.high, hn::Add(sum.low, hn::Add(a.low, b.low)));
}

HWY_INLINE Pair sum_of_lanes(PairV v) {
  HWY_ALIGN double high[HWY_MAX_BYTES / sizeof(double)], low[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(v.high, Doubles(), high);
  hn::Store(v.low, Doubles(), low);
  Pair sum{0, 0};
  for (std::size_t i = 0; i < hn::Lanes(Doubles()); ++i) sum = add(sum, {high[i], low[i]});
  return sum;
}

// e = x - r of the support, as pairs.
template <class T>
class Rises {
 public:
  HWY_INLINE Rises(const Units& units, const Candidates<T>& candidates, T lowest)
      : candidates_(candidates),
        lowest_(hn::Set(Doubles(), static_cast<double>(lowest))),
        base_(hn::Set(Doubles(), static_cast<double>(lowest) * units.down)),
        down_(hn::Set(Doubles(), units.down)),
        up_(hn::Set(Doubles(), units.up)) {}

  HWY_INLINE std::size_t count() const { return candidates_.count; }
  HWY_INLINE DoubleV load(std::size_t i) const { return load_doubles(candidates_.logits + i); }
  HWY_INLINE hn::Mask<Doubles> inside(DoubleV x) const { return hn::Ge(x, lowest_); }
  HWY_INLINE hn::Mask<Doubles> above(DoubleV x) const { return hn::Gt(x, lowest_); }
  HWY_INLINE DoubleV of(DoubleV x) const {
    if constexpr (sizeof(T) == 4) return hn::Sub(x, base_);
    return hn::Mul(hn::Sub(hn::Mul(x, down_), base_), up_);
  }
  // Exact, but for bits below the range of double.
  HWY_INLINE PairV pair_of(DoubleV x) const {
    const PairV rise = two_sum(hn::Mul(x, down_), hn::Neg(base_));
    return {hn::Mul(rise.high, up_), hn::Mul(rise.low, up_)};
  }

 private:
  const Candidates<T>& candidates_;
  DoubleV lowest_, base_, down_, up_;
};

struct RiseSums {
  Pair rise, square;  // sum of e, sum of e^2
  double count;
};

// In double with the roundings of the sums and squares kept: off by 3 u, those of e, and m^2 u^2, m additions per lane.
template <bool kSquares, class T>
HWY_INLINE RiseSums kept_sums(const Rises<T>& rises) {
  const Doubles d;
  CompensatedSum<Doubles> rise(d), square(d);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rises.count(); i += hn::Lanes(d)) {
    const DoubleV x = rises.load(i);
    const auto inside = rises.inside(x);
    const DoubleV e = hn::IfThenElseZero(inside, rises.of(x));
    count += hn::CountTrue(d, inside);
    rise.add(e);
    if (!kSquares) continue;
    const PairV product = two_product(e, e);
    square.add(product.high);
    square.rest = hn::Add(square.rest, product.low);
  }
  return {sum_of_lanes({rise.sum, rise.rest}), sum_of_lanes({square.sum, square.rest}), static_cast<double>(count)};
}

template <bool kSquares>
struct PairChain {
  PairV rise, square;
  std::size_t count = 0;

  HWY_INLINE PairChain() : rise{hn::Zero(Doubles()), hn::Zero(Doubles())}, square(rise) {}

  template <class T>
  HWY_INLINE void add_from(const Rises<T>& rises, std::size_t i) {
    const Doubles d;
    const DoubleV x = rises.load(i);
    const auto inside = rises.inside(x);
    PairV e = rises.pair_of(x);
    e = {hn::IfThenElseZero(inside, e.high), hn::IfThenElseZero(inside, e.low)};
    rise = add(rise, e);
    count += hn::CountTrue(d, inside);
    if (!kSquares) return;
    PairV product = two_product(e.high, e.high);
    product.low = hn::Add(product.low, hn::Mul(hn::Add(e.high, e.high), e.low));
    square = add(square, product);
  }
};

// In pairs: off by (m + 32) 2^-103 at most. Two chains, for one waits on itself ten additions long.
template <bool kSquares, class T>
HWY_NOINLINE RiseSums pair_sums(const Rises<T>& rises) {
  const std::size_t lanes = hn::Lanes(Doubles()), count = rises.count();
  PairChain<kSquares> a, b;
  std::size_t i = 0;
  for (; i + lanes < count; i += 2 * lanes) {
    a.add_from(rises, i);
    b.add_from(rises, i + lanes);
  }
  if (i < count) a.add_from(rises, i);
  return {sum_of_lanes(add(a.rise, b.rise)), sum_of_lanes(add(a.square, b.square)),
          static_cast<double>(a.count + b.count)};
}

// What is left for n: T - sum e, or 4 T^2 - sum e^2.
HWY_INLINE Pair room(const LinearPower&, double temperature, const RiseSums& sums) {
  return add(Pair{temperature, 0}, Pair{-sums.rise.high, -sums.rise.low});
}
HWY_INLINE Pair room(const SquarePower&, double temperature, const RiseSums& sums) {
  return add(two_product(2 * temperature, 2 * temperature), {-sums.square.high, -sums.square.low});
}
HWY_INLINE double whole(const LinearPower&, double temperature) { return temperature; }
HWY_INLINE double whole(const SquarePower&, double temperature) { return 4 * temperature * temperature; }

// n from its room G: k n = G, or k n^2 + 2 n E = G; one correction in pairs leaves 2^-100.
HWY_INLINE Pair gap_from(const LinearPower&, Pair room, const RiseSums& sums) {
  const double n = room.high / sums.count;
  return fast_two_sum(n, (std::fma(-n, sums.count, room.high) + room.low) / sums.count);
}
HWY_INLINE Pair gap_from(const SquarePower&, Pair room, const RiseSums& sums) {
  const double half = sums.rise.high + std::sqrt(sums.rise.high * sums.rise.high + sums.count * room.high);
  const double n = room.high / half;
  const Pair twice = add({2 * sums.rise.high, 2 * sums.rise.low}, two_product(sums.count, n));  // k n + 2 E
  const Pair missing = add(room, times(twice, -n));
  return fast_two_sum(n, missing.high / (2 * std::fma(sums.count, n, sums.rise.high)));
}

// Relative error of n that the weights can bear: 2^-31 in f32, 2^-60 in f64. That of the room is as large at most.
template <class T>
constexpr double kGapError = sizeof(T) == 4 ? 0x1p-31 : 0x1p-60;

// exact: n in the units of the logits, of f64 where the scaled n is below 2^-900 and a pair soon loses digits; else 0.
struct Gap : Pair {
  long double exact = 0;
};

template <class Power, class T>
HWY_INLINE Gap find_gap(const Power& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                        const Support<T>& support) {
  const T lowest = support.lowest;
  const Units unit = units(scale);
  const Rises<T> rises(unit, candidates, lowest);
  const double terms = static_cast<double>(candidates.count / hn::Lanes(Doubles())) + 32;
  const double all = whole(raise, unit.temperature);
  if constexpr (sizeof(T) == 4) {
    if (HWY_LIKELY(support.gap * kGapError < T >> support.error)) return {{support.gap, 0}};
    const RiseSums sums = kept_sums<!Power::exponent_one>(rises);
    const Pair left = room(raise, unit.temperature, sums);
    if (HWY_LIKELY(left.high * kGapError < T >> all * (0x1p-51 + 0x1p-104 * terms * terms))) {
      return {{Power::exponent_one
                   ? left.high / sums.count
                   : left.high / (sums.rise.high + std::sqrt(sums.rise.high * sums.rise.high + sums.count * left.high)),
               0}};
    }
  }
  const RiseSums sums = pair_sums<!Power::exponent_one>(rises);
  const Pair left = room(raise, unit.temperature, sums);
  if (HWY_LIKELY(left.high * kGapError < T >> all * terms * 0x1p-103)) return {gap_from(raise, left, sums)};
  const long double exact = exact_gap(Power::family, candidates.logits, candidates.count, scale.given, lowest);
  const long double n = exact * static_cast<long double>(unit.down) * static_cast<long double>(unit.up);
  const double high = static_cast<double>(n);
  const bool faint = sizeof(T) == 8 && n < 0x1p-900L;
  return {{high, static_cast<double>(n - static_cast<long double>(high))}, faint ? exact : 0};
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
