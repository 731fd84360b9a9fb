// The threshold of sparsemax: candidates above max - T, then Michelot's iteration on d = max - z with certain decisions.
#if defined(ATTNCERT_NORMALIZERS_SPARSEMAX_SOLVE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SPARSEMAX_SOLVE_INL_H
#undef ATTNCERT_NORMALIZERS_SPARSEMAX_SOLVE_INL_H
#else
#define ATTNCERT_NORMALIZERS_SPARSEMAX_SOLVE_INL_H
#endif

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/row-inl.h"
#include "src/normalizers/scale.hpp"
#include "src/normalizers/sparsemax_exact.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
struct Candidates {
  const T* logits;  // all logits above max - T, and some below; then -inf
  std::size_t count;
  T largest;
  bool maybe_nan;  // a sum of logits was NaN: NaN, or infinities of both signs, or overflow
};

// Below every logit that can be in the support: largest - T rounded down.
template <class T>
HWY_INLINE T candidate_bound(T largest, double temperature) {
  const double bound = static_cast<double>(largest) - temperature;
  const T kept = static_cast<T>(std::max(bound, -static_cast<double>(std::numeric_limits<T>::max())));
  return std::nextafter(kept, -std::numeric_limits<T>::infinity());
}

template <class D, class T = Lane<D>>
class CandidateFilter {
 public:
  HWY_INLINE CandidateFilter(D d, double temperature, T* out)
      : temperature_(temperature), out_(out), bound_(hn::Set(d, -std::numeric_limits<T>::infinity())) {}

  // Looks at up to four vectors at once; nearly always nothing in them exceeds the running bound.
  template <std::size_t kVectors>
  HWY_INLINE void scan(D d, const hn::Vec<D> (&v)[kVectors]) {
    auto most = v[0], sum = v[0];
    for (std::size_t i = 1; i < kVectors; ++i) {
      most = hn::Max(most, v[i]);
      sum = hn::Add(sum, v[i]);
    }
    const auto nan = hn::IsNaN(sum);  // not Ne(sum, sum): Highway 1.0.3 compares ordered on AVX3
    if (HWY_LIKELY(hn::AllFalse(d, hn::Or(hn::Gt(most, bound_), nan)))) return;
    maybe_nan_ |= !hn::AllFalse(d, nan);
    const T peak = largest_lane(d, most);
    if (peak > largest_) {
      largest_ = peak;
      bound_ = hn::Set(d, candidate_bound(peak, temperature_));
    }
    for (std::size_t i = 0; i < kVectors; ++i)
      count_ += hn::CompressStore(v[i], hn::Gt(v[i], bound_), d, out_ + count_);
  }

  HWY_INLINE Candidates<T> result(D d) {
    hn::StoreU(hn::Set(d, -std::numeric_limits<T>::infinity()), d, out_ + count_);
    return {out_, count_, largest_, maybe_nan_};
  }

 private:
  double temperature_;
  T* out_;
  hn::Vec<D> bound_;
  std::size_t count_ = 0;
  T largest_ = -std::numeric_limits<T>::infinity();
  bool maybe_nan_ = false;
};

template <class D, class T = Lane<D>>
HWY_INLINE Candidates<T> find_candidates(D d, const T* x, std::size_t length, double temperature, T* out) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  CandidateFilter<D> filter(d, temperature, out);
  std::size_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    const V four[4] = {hn::LoadU(d, x + i), hn::LoadU(d, x + i + lanes), hn::LoadU(d, x + i + 2 * lanes),
                       hn::LoadU(d, x + i + 3 * lanes)};
    filter.scan(d, four);
  }
  for (; i + lanes <= length; i += lanes) {
    const V one[1] = {hn::LoadU(d, x + i)};
    filter.scan(d, one);
  }
  if (i < length) {
    const V one[1] = {load_tail(d, x + i, length - i)};
    filter.scan(d, one);
  }
  return filter.result(d);
}

template <class T>
HWY_INLINE bool has_nan(const T* x, std::size_t length) {
  return std::any_of(x, x + length, [](T v) { return v != v; });
}

// A value as an unevaluated sum of two doubles, |low| <= ulp(high) / 2.
struct Pair {
  double high, low;
};

// The units of the iteration: T down up is 1 to 2 in f64; f32 needs no scaling, for double reaches far beyond it.
struct Units {
  double down, up, temperature;
};
HWY_INLINE Units units(const Scale<float>& scale) { return {1, 1, scale.given}; }
HWY_INLINE Units units(const Scale<double>& scale) { return {scale.down, scale.up, scale.exact_temperature}; }

// d = max - x of the candidates, as vectors of double.
template <class T>
class Distances {
 public:
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;

  HWY_INLINE Distances(const Units& units, const Candidates<T>& candidates)
      : candidates_(candidates),
        down_(hn::Set(D(), units.down)),
        up_(hn::Set(D(), units.up)),
        largest_(hn::Set(D(), static_cast<double>(candidates.largest) * units.down)) {}

  HWY_INLINE V load(std::size_t i) const {
    if constexpr (sizeof(T) == 4) {
      return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), candidates_.logits + i));
    } else {
      return hn::LoadU(D(), candidates_.logits + i);
    }
  }
  HWY_INLINE V rounded(V x) const { return hn::Mul(hn::Sub(largest_, hn::Mul(x, down_)), up_); }

  // rounded(x) + error(x) is max - x exactly (TwoSum), but for bits below the range of double.
  HWY_INLINE V error(V x) const {
    const V scaled = hn::Mul(x, down_), difference = hn::Sub(largest_, scaled), part = hn::Sub(difference, largest_);
    const V lost = hn::Sub(hn::Sub(largest_, hn::Sub(difference, part)), hn::Add(scaled, part));
    return hn::Mul(lost, up_);
  }
  std::size_t count() const { return candidates_.count; }

 private:
  const Candidates<T>& candidates_;
  V down_, up_, largest_;
};

struct Census {
  double sum;  // of d over the candidates with d < bound
  double count;
  double farthest;  // the largest d among them
  double lowest;    // its logit
};

template <class T>
HWY_INLINE Census census(const Distances<T>& distances, double bound) {
  const typename Distances<T>::D d;
  const auto limit = hn::Set(d, bound);
  CompensatedSum<typename Distances<T>::D> sum(d);
  auto farthest = hn::Zero(d), lowest = hn::Set(d, std::numeric_limits<double>::infinity());
  std::size_t count = 0;
  for (std::size_t i = 0; i < distances.count(); i += hn::Lanes(d)) {
    const auto x = distances.load(i), distance = distances.rounded(x);
    const auto near = hn::Lt(distance, limit);
    count += hn::CountTrue(d, near);
    const auto kept = hn::IfThenElseZero(near, distance);
    sum.add(kept);
    farthest = hn::Max(farthest, kept);
    lowest = hn::IfThenElse(near, hn::Min(lowest, x), lowest);
  }
  const DoubleSum total = add_lanes(d, sum);
  return {total.high + total.low, static_cast<double>(count), largest_lane(d, farthest),
          -largest_lane(d, hn::Neg(lowest))};
}

HWY_INLINE Pair normalized(double high, double low) {
  const double total = high + low;
  return {total, low - (total - high)};
}

HWY_INLINE Pair add(Pair a, Pair b) {
  DoubleSum sum;
  sum.add(a.high);
  sum.add(b.high);
  return normalized(sum.high, sum.low + (a.low + b.low));
}

// delta = (T + sum_S d) / k over S = {x >= lowest}, to about n 2^-105: each step renormalizes its pair of lanes.
template <class T>
HWY_INLINE Pair delta_of(const Distances<T>& distances, double temperature, double lowest) {
  const typename Distances<T>::D d;
  const auto limit = hn::Set(d, lowest);
  auto high = hn::Zero(d), low = hn::Zero(d);
  std::size_t count = 0;
  for (std::size_t i = 0; i < distances.count(); i += hn::Lanes(d)) {
    const auto x = distances.load(i);
    const auto inside = hn::Ge(x, limit);
    count += hn::CountTrue(d, inside);
    const auto value = hn::IfThenElseZero(inside, distances.rounded(x));
    const auto error = hn::IfThenElseZero(inside, distances.error(x));
    const auto total = hn::Add(high, value), part = hn::Sub(total, high);
    const auto lost = hn::Add(hn::Sub(high, hn::Sub(total, part)), hn::Sub(value, part));
    const auto rest = hn::Add(low, hn::Add(lost, error));
    high = hn::Add(total, rest);
    low = hn::Sub(rest, hn::Sub(high, total));
  }
  HWY_ALIGN double highs[HWY_MAX_BYTES / sizeof(double)], lows[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(high, d, highs);
  hn::Store(low, d, lows);
  Pair sum{temperature, 0};
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) sum = add(sum, {highs[i], lows[i]});
  const double k = static_cast<double>(count), quotient = sum.high / k;
  return normalized(quotient, (std::fma(-quotient, k, sum.high) + sum.low) / k);
}

template <class T>
struct Threshold {
  Pair delta;  // max - theta, in Units
  T lowest;    // the smallest logit of the support
};

// With u = 2^-53: each d errs by u d, the compensated sum by 2 u, the addition of T and the quotient by u each, so delta
// by at most 5 u of itself; the d compared with it by u. What is 8 u away is certain.
template <class T>
HWY_INLINE Threshold<T> solve(const Scale<T>& scale, const Candidates<T>& candidates) {
  constexpr double doubt = 0x1p-50;
  const Units unit = units(scale);
  const Distances<T> distances(unit, candidates);
  double bound = unit.temperature * (1 + doubt);  // delta <= T
  for (;;) {
    const Census now = census(distances, bound);
    const double delta = (unit.temperature + now.sum) / now.count;
    if (now.farthest >= delta * (1 + doubt)) {  // certainly outside, and every later delta is smaller
      bound = delta * (1 + doubt);
      continue;
    }
    T lowest = static_cast<T>(now.lowest);
    if (now.farthest >= delta * (1 - doubt)) {
      lowest = exact_lowest(candidates.logits, candidates.count, scale.given, lowest);
    }
    return {delta_of(distances, unit.temperature, static_cast<double>(lowest)), lowest};
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
