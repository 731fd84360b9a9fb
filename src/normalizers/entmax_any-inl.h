// What a general alpha needs where 3/2 and 2 have closed forms: p = v^b with b = 1 / (alpha - 1) any rational. For b >= 1 the
// support comes from entmax_support-inl.h; for b < 1, where no norm makes the equation convex, from bisection among the
// candidates. The gap is a root: in n for b >= 1, in y = p_r for b < 1, where the equation is convex.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_ANY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_ANY_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_ANY_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_ANY_INL_H
#endif

#include <bit>
#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/entmax_power-inl.h"
#include "src/normalizers/entmax_rest.hpp"
#include "src/normalizers/entmax_weights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

HWY_INLINE void add_terms(Doubles, const AnyPower& raise, DoubleV v, DoubleV& power, DoubleV& slope) {
  raise.accumulate(v, power, slope);
}
template <class D, hwy::EnableIf<sizeof(Lane<D>) == 4>* = nullptr>
HWY_INLINE void add_terms(D d, const AnyPower& raise, hn::Vec<D> v, hn::Vec<D>& power, hn::Vec<D>& slope) {
  const auto less =
      raise.factors > 0 ? product(v, raise.factors - 1) : rough_power(d, v, static_cast<float>(raise.exponent - 1));
  slope = hn::Add(slope, less);
  power = hn::MulAdd(less, v, power);
}

// Sums of v^b and v^(b-1), v = a (e + n): over the logits above r, or with those at r, where v = a n.
struct PowerSums {
  double power, slope;
};

template <bool kInclusive, class T>
HWY_INLINE PowerSums power_sums(const AnyPower& raise, const Rises<T>& rises, double n) {
  const Doubles d;
  const DoubleV gap = hn::Set(d, n), rate = hn::Set(d, raise.rate);
  DoubleV power = hn::Zero(d), slope = hn::Zero(d);
  for (std::size_t i = 0; i < rises.count(); i += hn::Lanes(d)) {
    const DoubleV x = rises.load(i), v = hn::Mul(hn::Add(rises.of(x), gap), rate);
    raise.accumulate(hn::IfThenElseZero(kInclusive ? rises.inside(x) : rises.above(x), v), power, slope);
  }
  return {hn::GetLane(hn::SumOfLanes(d, power)), hn::GetLane(hn::SumOfLanes(d, slope))};
}
template <class T>
HWY_INLINE PowerSums powers_above(const AnyPower& raise, const Rises<T>& rises, double n) {
  return power_sums<false>(raise, rises, n);
}

HWY_INLINE PairV power_pair(const AnyPower& raise, PairV w) {
  const PairV v = multiply(w, all_lanes(raise.exact_rate));
  return exp2_pair(multiply(log2_pair(v), all_lanes(raise.exact_exponent)));
}

// sum v^b over the logits from r on.
template <class T>
HWY_NOINLINE Pair powers_in_pairs(const AnyPower& raise, const Rises<T>& rises, Pair n) {
  const Doubles d;
  const PairV gap = all_lanes(n);
  PairV sum{hn::Zero(d), hn::Zero(d)};
  for (std::size_t i = 0; i < rises.count(); i += hn::Lanes(d)) {
    const DoubleV x = rises.load(i);
    const PairV w = add(rises.pair_of(x), gap);
    const auto positive = hn::And(rises.inside(x), hn::Gt(w.high, hn::Zero(d)));
    const PairV raised = power_pair(raise, w);
    sum = add(sum, {hn::IfThenElseZero(positive, raised.high), hn::IfThenElseZero(positive, raised.low)});
  }
  return sum_of_lanes(sum);
}

template <class T>
HWY_INLINE double terms_of(const Rises<T>& rises) {
  return static_cast<double>(rises.count() / hn::Lanes(Doubles()) + 32);
}
// Of sum v^b near 1 in double: the error of a power is 2^-50 |log2 v^b| + 2^-50, and sum p |log2 p| <= log2 k.
template <class T>
HWY_INLINE double plain_error(const AnyPower& raise, const Rises<T>& rises) {
  const double doublings = static_cast<double>(std::bit_width(rises.count()));
  return 0x1p-50 * (doublings + 2) + 0x1p-53 * (terms_of(rises) + 4 * raise.exponent);
}
template <class T>
HWY_INLINE double pair_error(const AnyPower& raise, const Rises<T>& rises) {
  return 0x1p-94 * (raise.exponent + 1) + 0x1p-102 * terms_of(rises);
}

// Is max - x < (alpha - 1)^-1 T, exactly? For a single logit above x. Only where the integers are below 2^31.
HWY_INLINE bool sum_is_below(const AnyPower& raise, double largest, double x, double temperature, bool& decided) {
  decided = std::max(raise.above, raise.denominator) < (std::uint64_t{1} << 31);
  if (!decided) return false;
  ExactSum sum;
  sum.add(largest, static_cast<std::int64_t>(raise.above));
  sum.add(x, -static_cast<std::int64_t>(raise.above));
  sum.add(temperature, -static_cast<std::int64_t>(raise.denominator));
  return sum.sign() < 0;
}

template <class T>
HWY_INLINE EntmaxLaw law_of(const AnyPower& raise, const Scale<T>& scale) {
  return {raise.above, raise.denominator, scale.given};
}

// x is in the support iff sum over z_j > x of (a (z_j - x))^b < 1: in double, in pairs, exactly if one logit decides, in
// fixed point; what remains is counted and taken as outside: it is on the threshold, or as good as that (entmax_rest.hpp).
template <class T>
HWY_NOINLINE bool in_support(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates, T x,
                             SupportCounts& counts) {
  const Rises<T> rises(units(scale), candidates, x);
  const double power = powers_above(raise, rises, 0).power;
  if (std::abs(power - 1) > 2 * plain_error(raise, rises) + raise.error * (power > 2)) return power < 1;
  counts.exact_supports = 1;
  const Pair exact = powers_in_pairs(raise, rises, {0, 0});
  const double over = (exact.high - 1) + exact.low;
  if (std::abs(over) > 2 * pair_error(raise, rises)) return over < 0;
  std::size_t above = 0;
  for (std::size_t i = 0; i < candidates.count; ++i) above += candidates.logits[i] > x;
  bool decided = above == 1;
  const bool inside = decided && sum_is_below(raise, static_cast<double>(candidates.largest), static_cast<double>(x),
                                              scale.given, decided);
  if (decided) return inside;
  const RestOfSum rest = rest_of_sum(law_of(raise, scale), candidates.logits, candidates.count, x);
  counts.undecided |= std::abs(rest.value) <= rest.error;
  return rest.value > rest.error;
}

// Bisection by the middle of those still open.
template <class T>
HWY_NOINLINE T bisect(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates, T outside,
                      T inside) {
  SupportCounts counts;
  for (;;) {
    const auto open = [&](T x) { return x > outside && x < inside; };
    const std::size_t left =
        static_cast<std::size_t>(std::count_if(candidates.logits, candidates.logits + candidates.count, open));
    if (left == 0) break;
    std::size_t index = 0, seen = 0;
    while (!open(candidates.logits[index]) || seen++ != left / 2) ++index;
    const T x = candidates.logits[index];
    (in_support(raise, scale, candidates, x, counts) ? inside : outside) = x;
  }
  add_counts(AnyPower::family, counts);
  return inside;
}

template <class T>
HWY_INLINE T settle_exactly(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates, T outside,
                            T inside) {
  return bisect(raise, scale, candidates, outside, inside);
}

template <class T>
HWY_INLINE Support<T> find_support(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates) {
  if (raise.exponent >= 1) return find_support<AnyPower, T>(raise, scale, candidates);
  return {bisect(raise, scale, candidates, -std::numeric_limits<T>::infinity(), candidates.largest), 0};
}

// Below it a n is taken for nothing beside any other a (e + n), which docs/budgets.md does not prove.
constexpr double kLeast = 0x1p-960;

struct AnyGap {
  Pair n;
  double floor;  // p_r, where a n is below kLeast and p_r is not nothing; else 0
};

// An error of the sums moves no weight by more than 2^-29 in f32, 2^-57 in f64: `digits` is what it is measured against.
template <class T>
constexpr double kDigits = sizeof(T) == 4 ? 0x1p29 : 0x1p57;

// What a pair does not tell: the rest above the smallest logit, in more digits. 0 where these do not tell it either.
template <class T>
HWY_NOINLINE long double wide_rest(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                                   T lowest) {
  const RestOfSum rest = rest_of_sum(law_of(raise, scale), candidates.logits, candidates.count, lowest);
  const bool told = rest.value > rest.error * kDigits<T>;
  add_counts(AnyPower::family, {0, 0, sizeof(T) == 8 ? 1u : 0u, told ? 0u : 1u});  // f32 has counted the row
  return told ? rest.value : 0;
}

// p_r = (1 - sum of the others) / ties, where n adds nothing to these.
template <class T>
HWY_NOINLINE double smallest_weight(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                                    const Rises<T>& rises, T lowest, double ties) {
  const Pair others = powers_in_pairs(raise, rises, {0, 0});
  const double rest = (1 - others.high) - others.low;
  if (pair_error(raise, rises) * kDigits<T> < rest) return rest / ties;
  const long double wide = wide_rest(raise, scale, candidates, lowest);
  return wide > 0 ? static_cast<double>(wide / static_cast<long double>(ties)) : rest / ties;
}

// b >= 1, from delta of the support's iteration. `slope` gets sum v^(b-1). With G = (sum v^b)^(1/b), n G'' <= (b - 1) G': a
// step that moves n by the part h leaves (b - 1) h^2 / 2 of it, and b times that of a weight: 2^-29 at h = 2^-18, b = 16.
template <class T>
HWY_INLINE double root_in_gap(const AnyPower& raise, const Rises<T>& rises, double start, double& slope) {
  const double last = sizeof(T) == 4 && raise.exponent <= 16 ? 0x1p-18 : 0x1p-25;
  double n = start;
  for (int step = 0; step < 100; ++step) {
    const PowerSums all = power_sums<true>(raise, rises, n);
    slope = all.slope;
    const double next = std::max(n * 0.0625, n - raise.descent(all.power, slope));  // the first where the sums overflow
    const bool close = std::abs(next - n) <= last * n || std::abs(all.power - 1) < 0x1p-45;
    n = next;
    if (close) break;
  }
  return n;
}

// b < 1, from y = 1 / k, which is not too small: Newton on a convex function comes down to the root.
template <class T>
HWY_INLINE double root_in_weight(const AnyPower& raise, const Rises<T>& rises, double ties, double start,
                                 double& slope) {
  double y = start;
  for (int step = 0; step < 100; ++step) {
    const double v = std::pow(y, raise.step);
    const PowerSums above = powers_above(raise, rises, v / raise.rate);
    slope = ties + above.slope * v / y;
    const double next = std::max(y * 0.0625, y - (above.power + ties * y - 1) / slope);
    const bool close = std::abs(next - y) <= 0x1p-25 * y;
    y = next;
    if (close) break;
  }
  return y;
}

template <class T>
HWY_NOINLINE Pair refine_gap(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                             const Rises<T>& rises, T lowest, double ties, double start) {
  Pair n{start, 0};
  double slope = 0, move = 0;
  for (int step = 0; step < 12; ++step) {
    const double v = n.high * raise.rate;
    slope = raise.exponent * raise.rate *
            (powers_above(raise, rises, n.high).slope + ties * std::pow(v, raise.exponent - 1));
    const Pair power = powers_in_pairs(raise, rises, n);
    move = ((power.high - 1) + power.low) / slope;
    const double kept = std::min(move, n.high * 0.9375);
    n = add(n, {-kept, 0});
    if (std::abs(move) <= 0x1p-36 * n.high) break;
  }
  if (pair_error(raise, rises) * kDigits<T> < n.high * slope) return n;
  const long double rest = wide_rest(raise, scale, candidates, lowest);
  if (!(rest > 0)) return n;
  const Units unit = units(scale);
  const long double exact = gap_of_rest(law_of(raise, scale), candidates.logits, candidates.count, lowest, rest) *
                            static_cast<long double>(unit.down) * static_cast<long double>(unit.up);
  if (!std::isfinite(exact)) return n;
  const double high = static_cast<double>(exact);
  return {high, static_cast<double>(exact - static_cast<long double>(high))};
}

template <class T>
HWY_INLINE AnyGap find_gap(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                           const Support<T>& support) {
  const Units unit = units(scale);
  const T lowest = support.lowest;
  const Rises<T> rises(unit, candidates, lowest);
  const auto ties = [&] {
    return static_cast<double>(std::count(candidates.logits, candidates.logits + candidates.count, lowest));
  };
  const auto size = [&] {
    const auto inside = [&](T x) { return x >= lowest; };
    return static_cast<double>(std::count_if(candidates.logits, candidates.logits + candidates.count, inside));
  };
  double n = 0, digits = 0, slope = 0;  // digits: n H'(n) / b, what an error of the sums is measured against
  if (raise.exponent >= 1) {
    const Distances<T> distances(unit, candidates);
    const double farthest = distances.of(static_cast<double>(lowest));
    double start = support.delta - farthest;
    if (!(start > 0x1p-24 * support.delta)) {
      // No v is above 1, and beyond it a power is soon too large for a double: at most 1 / a - farthest, but for its rounding.
      const double most = std::min(std::pow(size(), -raise.step) / raise.rate,
                                   std::max(1 / raise.rate - farthest, 0x1p-50 / raise.rate));
      start = start > 0x1p-40 * most ? std::min(start, most) : most;
    }
    n = root_in_gap(raise, rises, start, slope);
    digits = n * raise.rate * slope;
  } else {
    const double y = root_in_weight(raise, rises, ties(), 1 / size(), slope);
    n = std::pow(y, raise.step) / raise.rate;
    digits = y * slope;
    if (!(n * raise.rate > kLeast)) {
      return {{n, 0}, smallest_weight(raise, scale, candidates, rises, lowest, ties())};
    }
  }
  if (sizeof(T) == 4 && plain_error(raise, rises) * kDigits<T> < digits) return {{n, 0}, 0};
  if (sizeof(T) == 4) add_counts(AnyPower::family, {0, 0, 1, 0});
  return {refine_gap(raise, scale, candidates, rises, lowest, ties(), n), 0};
}

// f32: v loses its last bits first, so that two of them are equal or their powers are farther apart than an error of the
// power: order is kept. 34 bits and those of b remain: 2^-33 of the weight.
template <>
class Weights<AnyPower, float> {
 public:
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;

  HWY_INLINE Weights(const AnyPower& raise, const Scale<float>&, float lowest, const AnyGap& gap)
      : raise_(raise),
        lowest_(hn::Set(D(), lowest)),
        base_(hn::Set(Doubles(), static_cast<double>(lowest))),
        gap_(hn::Set(Doubles(), gap.n.high)),
        rate_(hn::Set(Doubles(), raise.rate)),
        floor_(hn::Set(Doubles(), gap.floor)) {
    const int bits = std::clamp(34 + std::ilogb(raise.exponent) + 1, 20, 52);
    const std::uint64_t mask = ~std::uint64_t{0} << (52 - bits);
    kept_ = hn::Set(Doubles(), std::bit_cast<double>(mask));
  }

  HWY_INLINE V lowest() const { return lowest_; }
  HWY_INLINE V of(V x) const {
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
        lowest_(hn::Set(D(), lowest)),
        base_(hn::Set(D(), lowest * scale.down)),
        down_(hn::Set(D(), scale.down)),
        up_(hn::Set(D(), scale.up)),
        floor_(hn::Set(D(), gap.floor)),
        rate_(hn::Set(D(), raise.rate)),
        gap_(all_lanes(gap.n)) {}

  HWY_INLINE V lowest() const { return lowest_; }
  HWY_INLINE V of(V x) const {
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
  V lowest_, base_, down_, up_, floor_, rate_;
  PairV gap_;
};

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
