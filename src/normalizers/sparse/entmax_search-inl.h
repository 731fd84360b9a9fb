// The first steps of Newton's iteration of entmax_support-inl.h, in the type of the row and on any part of it: a proved
// bound of the threshold, and a start for the last steps. The norm of v is convex in delta, so from anywhere a step
// ends at or above the root, but for rounding: docs/budgets.md bounds that by 2^-10 of the delta it starts from.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_SEARCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_SEARCH_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_SEARCH_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_SEARCH_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "hwy/highway.h"
#include "src/normalizers/sparse/entmax_support-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// Adds v^b and v^(b-1); v >= 0. For b = 1 and 2 from w = v / a, and a comes in at the end.
template <class D>
HWY_INLINE void add_terms(D d, const LinearPower&, hn::Vec<D> v, hn::Vec<D>& power, hn::Vec<D>& slope) {
  power = hn::Add(power, v);
  slope = hn::Add(slope, hn::IfThenElseZero(hn::Gt(v, hn::Zero(d)), hn::Set(d, Lane<D>(1))));
}
template <class D>
HWY_INLINE void add_terms(D, const SquarePower&, hn::Vec<D> v, hn::Vec<D>& power, hn::Vec<D>& slope) {
  power = hn::MulAdd(v, v, power);
  slope = hn::Add(slope, v);
}

HWY_INLINE Sums scaled(const LinearPower&, double power, double slope, double rate) {
  return {power * rate, slope, slope, 0, 0};
}
HWY_INLINE Sums scaled(const SquarePower&, double power, double slope, double rate) {
  return {power * rate * rate, slope * rate, slope * slope / power, 0, 0};  // their number is as large at least
}
template <class Any>
HWY_INLINE Sums scaled(const Any&, double power, double slope, double) {
  return {power, slope, 0, 0, 0};
}

// v^e for floats, 0 < e <= 15, off by 2^-14 at most; 0 where v < 2^-120. log2(m) = 2 atanh(s) log2(e) to s^7, off by
// 2^-24 and its roundings, 2^-20 in all; 2^t to t^5, off by 2^-18.
template <class D>
HWY_INLINE hn::Vec<D> rough_power(D d, hn::Vec<D> v, float e) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, v), offset = hn::Sub(bits, hn::Set(di, 0x3f3504f3));  // sqrt(1/2)
  const auto exponent = hn::ShiftRight<23>(offset);
  const auto m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent))), one = hn::Set(d, 1.0f);
  const auto s = hn::Div(hn::Sub(m, one), hn::Add(m, one)), t = hn::Mul(s, s);
  auto q = hn::MulAdd(hn::Set(d, 0x1.a61762p-2f), t, hn::Set(d, 0x1.2776c6p-1f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.ec709ep-1f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.715476p+1f));
  const auto log = hn::MulAdd(q, s, hn::ConvertTo(d, exponent));
  const auto y = hn::Max(hn::Mul(log, hn::Set(d, e)), hn::Set(d, -120.0f));
  const auto magic = hn::Set(d, 0x1.8p23f + 127), z = hn::Add(y, magic), f = hn::Sub(y, hn::Sub(z, magic));
  auto r = hn::MulAdd(hn::Set(d, 0x1.5d87fep-10f), f, hn::Set(d, 0x1.3b2ab6p-7f));
  r = hn::MulAdd(r, f, hn::Set(d, 0x1.c6b08ep-5f));
  r = hn::MulAdd(r, f, hn::Set(d, 0x1.ebfbe0p-3f));
  r = hn::MulAdd(r, f, hn::Set(d, 0x1.62e430p-1f));
  r = hn::MulAdd(r, f, one);
  const auto power = hn::Mul(r, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, z))));
  return hn::IfThenElseZero(hn::Gt(v, hn::Set(d, 0x1p-120f)), power);
}

// Over the logits above t in every kStride-th vector; sums of at most 256 terms a lane are added up in double.
template <std::size_t kStride, class Power, class D, class T = Lane<D>>
HWY_INLINE Sums search_sums(D d, const Power& raise, const T* x, std::size_t count, T t, T rate) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), next = kStride * lanes, most = 512 * next;
  const V zero = hn::Zero(d), limit = hn::Set(d, t), a = hn::Set(d, rate);
  const auto add = [&](std::size_t i, V& power, V& slope) HWY_ATTR {
    const V w = hn::Max(hn::Sub(hn::LoadU(d, x + i), limit), zero);
    add_terms(d, raise, Power::costly ? hn::Mul(w, a) : w, power, slope);
  };
  double power = 0, slope = 0;
  for (std::size_t begin = 0; begin < count; begin += most) {
    const std::size_t end = std::min(count, begin + most);
    V power_a = zero, slope_a = zero, power_b = zero, slope_b = zero;
    std::size_t i = begin;
    for (; i + next < end; i += 2 * next) {
      add(i, power_a, slope_a);
      add(i + next, power_b, slope_b);
    }
    if (i < end) add(i, power_a, slope_a);
    power += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(power_a, power_b))));
    slope += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(slope_a, slope_b))));
  }
  return scaled(raise, power, slope, static_cast<double>(rate));
}

template <class Power, class T>
class Search {
 public:
  static constexpr bool searches = true;
  static constexpr std::size_t few = Power::costly ? 24 : 64;  // a search among fewer costs more than it saves

  // Where T is so far from 1 that the type of the row might not hold what is summed, nothing is searched.
  HWY_INLINE Search(const Power& raise, const Units& units) : raise_(raise), lift_(units.down * units.up) {
    constexpr double far = sizeof(T) == 4 ? 0x1p40 : 0x1p300;
    const double rate = raise.rate * lift_;
    usable_ = searchable(raise) && lift_ < far && lift_ > 1 / far && rate < far && rate > 1 / far;
  }

  // count candidates and a vector of -inf; most: a bound that holds already, as a difference of logits; last: the
  // support is looked for from here.
  template <class D>
  HWY_INLINE Reach operator()(D d, const T* x, std::size_t count, T largest, double most, bool last) const {
    if (!usable_ || !(std::abs(largest) <= std::numeric_limits<T>::max())) return {most, 0, 0};
    const double highest = std::min(most, 1 / (raise_.rate * lift_)), close_to = enough(count, last);
    double start = count < kSampled ? highest : guess(d, x, count, largest, highest);
    double proved = most, kept = 0, close = 0;
    for (int step = 0; step < 12; ++step) {
      const Step made = take<1>(d, x, count, largest, start);
      if (made.power < 0.6 && start < highest) {  // far below the root nothing is proved
        start = highest;
        continue;
      }
      close = made.to;
      if (!(close > 0)) return {proved, 0, 0};
      kept = made.count;
      proved = std::min(proved, (close + 0x1p-10 * made.from) / lift_);
      if (std::abs(close - made.from) < made.from * close_to) break;  // the next one moves it by the square of that
      start = close / lift_;
    }
    return {proved, close, kept};
  }

 private:
  static constexpr std::size_t kStride = 8, kSampled = 1024;

  struct Step {
    double from, to, power, count;
  };

  // One step of Newton's from `start`, with every kStep-th vector for that many.
  template <std::size_t kStep, class D>
  HWY_INLINE Step take(D d, const T* x, std::size_t count, T largest, double start) const {
    const double peak = static_cast<double>(largest);
    const T t = static_cast<T>(peak - start);
    const double delta = (peak - static_cast<double>(t)) * lift_;
    Sums sums = search_sums<kStep>(d, raise_, x, count, t, static_cast<T>(raise_.rate * lift_));
    sums = {sums.power * kStep, sums.slope * kStep, sums.count * kStep, 0, 0};
    return {delta, raise_.next(delta, sums, kNoBound), sums.power, sums.count};
  }

  // Where the root is, had the others the distribution of a sample.
  template <class D>
  HWY_INLINE double guess(D d, const T* x, std::size_t count, T largest, double highest) const {
    double start = highest;
    for (int step = 0; step < 6; ++step) {
      const Step made = take<kStride>(d, x, count, largest, start);
      if (!(made.to > 0)) return highest;
      start = std::min(made.to / lift_, highest);
      if (std::abs(made.to - made.from) < 0x1p-4 * made.from) break;
    }
    return start;
  }

  // A last step of a part s of delta leaves s^2 of it. On the way any bound will do. At the end the next of `count`
  // logits is about 1 / count away, and where it lies between the root and what is left, the support costs a dearer
  // step.
  static double enough(std::size_t count, bool last) {
    if (Power::costly) return 0x1p-10;
    return last ? std::min(0x1p-5, 0.5 / std::sqrt(static_cast<double>(count))) : 0x1p-3;
  }

  static constexpr bool searchable(const LinearPower&) { return true; }
  static constexpr bool searchable(const SquarePower&) { return true; }
  template <class Any>
  static bool searchable(const Any& raise) {
    return raise.can_search();
  }

  const Power& raise_;
  double lift_;
  bool usable_;
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
