// What a general alpha needs where 3/2 and 2 have closed forms: p = v^b with b = 1 / (alpha - 1) any rational. For
// b >= 1 the support comes from entmax_support-inl.h; for b < 1, where no norm makes the equation convex, from
// bisection among the candidates. The gap is a root: in n for b >= 1, in y = p_r for b < 1, where the equation is
// convex.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_ANY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_ANY_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_ANY_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_ANY_INL_H
#endif

#include <bit>
#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/sparse/entmax_power-inl.h"
#include "src/normalizers/sparse/entmax_rest.hpp"
#include "src/normalizers/sparse/entmax_search-inl.h"
#include "src/normalizers/sparse/entmax_small.hpp"
#include "src/normalizers/sparse/entmax_uniform-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

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

// The same for sums near 1, b a small integer: what is lost of a power below 2^-960 is nothing to them.
HWY_INLINE PairV product_pair(const AnyPower& raise, PairV w) {
  const PairV v = multiply(w, all_lanes(raise.exact_rate));
  PairV power = v;
  for (int i = 1; i < raise.factors; ++i) power = multiply(power, v);
  return power;
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
    const PairV raised = raise.factors > 0 ? product_pair(raise, w) : power_pair(raise, w);
    sum = add(sum, {hn::IfThenElseZero(positive, raised.high), hn::IfThenElseZero(positive, raised.low)});
  }
  return sum_of_lanes(sum);
}

template <class T>
HWY_INLINE double terms_of(const Rises<T>& rises) {
  return static_cast<double>(rises.count() / hn::Lanes(Doubles()) + 32);
}
// The error of sum v^b near 1 in double: v is off by 3 u, its product with itself by as much b times and b - 1 more,
// the error of another power is 2^-50 |log2 v^b| + 2^-50, and sum p |log2 p| <= log2 k.
template <class T>
HWY_INLINE double plain_error(const AnyPower& raise, const Rises<T>& rises) {
  const double doublings = static_cast<double>(std::bit_width(rises.count()));
  const double terms = static_cast<double>(rises.count() / hn::Lanes(Doubles()) + 4);
  return 0x1p-50 * (raise.factors > 0 ? 0 : doublings + 2) + 0x1p-53 * (terms + 4 * raise.exponent);
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

// The rise of the next larger logit above x: infinite where there is none.
template <class T>
HWY_INLINE long double next_rise(const Candidates<T>& candidates, T x) {
  T next = std::numeric_limits<T>::infinity();
  for (std::size_t i = 0; i < candidates.count; ++i) {
    if (candidates.logits[i] > x) next = std::min(next, candidates.logits[i]);
  }
  return static_cast<long double>(next) - static_cast<long double>(x);
}
template <class T>
HWY_INLINE long double lift_of(const Scale<T>& scale) {
  const Units unit = units(scale);
  return static_cast<long double>(unit.down) * static_cast<long double>(unit.up);
}
template <class T>
HWY_INLINE bool within_pairs(const AnyPower& raise, const Scale<T>& scale, long double rise) {
  return rise * lift_of(scale) * static_cast<long double>(raise.rate) > 2 * static_cast<long double>(kLeast);
}
// b < 1, where a rise that is nothing may have a power that is much.
template <class T>
HWY_INLINE bool powers_within_pairs(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                                    T x) {
  return raise.exponent >= 1 || within_pairs(raise, scale, next_rise(candidates, x));
}

// sum over z_j > x of (a (z_j - x))^b for b < 1 in long double, whose range has no end here: a is off by 2^-52, a power
// by less than 2^-58 of what is at most 1, or of itself.
template <class T>
HWY_NOINLINE long double wide_powers(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                                     T x) {
  const long double rate = lift_of(scale) * static_cast<long double>(raise.rate),
                    b = static_cast<long double>(raise.exponent);
  long double sum = 0;
  for (std::size_t i = 0; i < candidates.count; ++i) {
    const T z = candidates.logits[i];
    if (z > x) sum += std::pow((static_cast<long double>(z) - static_cast<long double>(x)) * rate, b);
  }
  return sum;
}

// x is in the support iff sum over z_j > x of (a (z_j - x))^b < 1: in double, in pairs, exactly if one logit decides,
// in fixed point; what remains is counted and taken as outside: it is on the threshold, or as good as that
// (entmax_rest.hpp).
template <class T>
HWY_NOINLINE bool in_support(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates, T x,
                             SupportCounts& counts) {
  const Rises<T> rises(units(scale), candidates, x);
  const double power = powers_above(raise, rises, 0).power;
  const double error = 2 * plain_error(raise, rises) + raise.error * (power > 2);
  // Where v is too small for doubles, the power comes out as anything down to 0.
  const double lost = 2 * static_cast<double>(candidates.count) * std::pow(2 * kLeast, std::min(raise.exponent, 1.0));
  if (std::abs(power - 1) > error + lost) return power < 1;
  if (powers_within_pairs(raise, scale, candidates, x)) {
    if (std::abs(power - 1) > error) return power < 1;
    counts.exact_supports = 1;
    const Pair exact = powers_in_pairs(raise, rises, {0, 0});
    const double over = (exact.high - 1) + exact.low;
    if (std::abs(over) > 2 * pair_error(raise, rises)) return over < 0;
  } else {
    const long double sum = wide_powers(raise, scale, candidates, x);
    if (std::abs(sum - 1) > (0x1p-50L + 0x1p-63L * static_cast<long double>(candidates.count)) * sum) return sum < 1;
    counts.exact_supports = 1;
  }
  std::size_t above = 0;
  for (std::size_t i = 0; i < candidates.count; ++i) above += candidates.logits[i] > x;
  bool decided = above == 1;
  const bool inside = decided && sum_is_below(raise, static_cast<double>(candidates.largest), static_cast<double>(x),
                                              scale.given, decided);
  if (decided) return inside;
  const RestOfSum rest = rest_of_sum(law_of(raise, scale), candidates.logits, candidates.count, x, 1);
  counts.undecided |= std::abs(rest.value.high) <= rest.error;
  return rest.value.high > rest.error;
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
  if (const auto row = uniform_row(raise, scale, candidates)) return {row->lowest, 0};
  return {bisect(raise, scale, candidates, -std::numeric_limits<T>::infinity(), candidates.largest), 0};
}

struct AnyGap {
  Pair n{0, 0};
  Pair floor{0, 0};  // p_r where a n is below kLeast, and no other v; else 0
  SmallGap small{};  // of rows that neither serves
};

// An error of the sums moves no weight by more than 2^-29 in f32, 2^-57 in f64.
template <class T>
constexpr double kDigits = sizeof(T) == 4 ? 0x1p29 : 0x1p57;

HWY_INLINE Pair pair_of(const LongPair& v) {
  const double high = static_cast<double>(v.high);
  return {high, static_cast<double>((v.high - static_cast<long double>(high)) + v.low)};
}

// The rest that the logits above the smallest leave of 1, in pairs.
template <class T>
HWY_INLINE RestOfSum rest_in_pairs(const AnyPower& raise, const Rises<T>& rises) {
  const Pair others = powers_in_pairs(raise, rises, {0, 0});
  const Pair rest = add(Pair{1, 0}, Pair{-others.high, -others.low});
  const LongPair wide = exact_sum(static_cast<long double>(rest.high), static_cast<long double>(rest.low));
  return {wide, static_cast<long double>(pair_error(raise, rises)), few_bits};
}

// b < 1: is n nothing beside the rise e? With x = n / e it moves the power of e by b x of itself, which is at most b
// x^(1-b) of p_r, and all of them are to move p_r by less than b / (16 digits).
HWY_INLINE bool is_nothing_beside(const AnyPower& raise, long double log2_n, long double e, std::size_t count) {
  const long double apart = std::log2(e) - log2_n;
  const long double share =
      apart * static_cast<long double>(raise.above - raise.denominator) / static_cast<long double>(raise.above);
  return share > std::log2(static_cast<long double>(raise.digits)) + std::log2(static_cast<long double>(count)) + 4;
}

// What pairs do not tell of n, from the rest. Where its digits do not tell that well enough, the row is counted as
// undecided.
template <class T>
HWY_NOINLINE AnyGap gap_beyond_pairs(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                                     const Rises<T>& rises, T lowest, double ties, Pair n) {
  const EntmaxLaw law = law_of(raise, scale);
  const T* const logits = candidates.logits;
  const long double lift = lift_of(scale);
  bool told = true;
  const double demand = raise.digits / std::min(raise.exponent, 1.0);
  RestOfSum rest{{0, 0}, 0, few_bits};
  if (powers_within_pairs(raise, scale, candidates, lowest)) rest = rest_in_pairs(raise, rises);
  if (!(rest.value.high > rest.error * demand)) {
    rest = rest_of_sum(law, logits, candidates.count, lowest, demand);
    told = rest.value.high > rest.error * demand;
    add_counts(AnyPower::family, {0, 0, 1, told ? 0u : 1u});
    if (!(rest.value.high > 0)) return {n};
  }
  if (raise.exponent < 1) {
    const long double e = next_rise(candidates, lowest);
    const LongPair weight = over(rest.value, static_cast<long double>(ties));
    const long double log2_n = std::log2(weight.high) * static_cast<long double>(raise.step) -
                               std::log2(static_cast<long double>(raise.rate)) - std::log2(lift);
    if (is_nothing_beside(raise, log2_n, e, candidates.count)) {
      const bool served = within_pairs(raise, scale, e) && weight.high > static_cast<long double>(kLeast);
      if (served) return {{0, 0}, pair_of(weight)};
      return {{0, 0}, {0, 0}, {{0, 0}, weight}};
    }
  }
  const LongPair gap = gap_of_rest(law, logits, candidates.count, lowest, rest);
  if (!(gap.high > 0)) {
    add_counts(AnyPower::family, {0, 0, 0, told ? 1u : 0u});
    return {n};
  }
  if (!within_pairs(raise, scale, gap.high)) return {{0, 0}, {0, 0}, {gap, {0, 0}}};
  return {pair_of(LongPair{gap.high * lift, gap.low * lift})};
}

// b >= 1, from delta of the support's iteration. `slope` gets sum v^(b-1). With G = (sum v^b)^(1/b), n G'' <= (b - 1)
// G': a step that moves n by the part h leaves (b - 1) h^2 / 2 of it, at the end an eighth of what `digits` allow.
// Pairs need no more than a start.
template <class T>
HWY_INLINE double root_in_gap(const AnyPower& raise, const Rises<T>& rises, double start, double& slope) {
  const double last = std::max(0x1p-25, 0.5 / std::sqrt(raise.exponent * raise.digits));
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
HWY_NOINLINE AnyGap refine_gap(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
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
  if (pair_error(raise, rises) * raise.digits < n.high * slope && n.high * raise.rate > 2 * kLeast) return {n};
  return gap_beyond_pairs(raise, scale, candidates, rises, lowest, ties, n);
}

template <class T>
HWY_INLINE AnyGap find_gap(const AnyPower& raise, const Scale<T>& scale, const Candidates<T>& candidates,
                           const Support<T>& support) {
  if (const auto row = uniform_row(raise, scale, candidates)) return {{0, 0}, {1 / row->count, 0}};
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
  double n = 0, digits = 0, slope = 0;  // digits: n H'(n), what an error of the sums is measured against
  if (raise.exponent >= 1) {
    const Distances<T> distances(unit, candidates);
    const double farthest = distances.of(static_cast<double>(lowest));
    double start = support.delta - farthest;
    if (!(start > 0x1p-24 * support.delta)) {
      // No v is above 1, and beyond it a power is soon too large for a double: at most 1 / a - farthest, but for its
      // rounding.
      const double most = std::min(std::pow(size(), -raise.step) / raise.rate,
                                   std::max(1 / raise.rate - farthest, 0x1p-50 / raise.rate));
      start = start > 0x1p-40 * most ? std::min(start, most) : most;
    }
    n = root_in_gap(raise, rises, start, slope);
    digits = raise.exponent * n * raise.rate * slope;
  } else {
    const double y = root_in_weight(raise, rises, ties(), 1 / size(), slope);
    n = std::pow(y, raise.step) / raise.rate;
    digits = raise.exponent * y * slope;
    if (!(n * std::min(raise.rate, 1.0) > 2 * kLeast)) {  // n may be less than anything where a is large
      return gap_beyond_pairs(raise, scale, candidates, rises, lowest, ties(), {n, 0});
    }
  }
  if (sizeof(T) == 4 && !raise.in_pairs && plain_error(raise, rises) * raise.digits < digits) return {{n, 0}};
  return refine_gap(raise, scale, candidates, rises, lowest, ties(), n);
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
