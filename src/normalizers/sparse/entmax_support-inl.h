// The support of an entmax: p_i = v_i^b, v_i = a (delta - d_i), d = max - z, sum 1, with b = 1 / (alpha - 1) and
// a = 1 / (b T). Newton's iteration on (sum v^b)^(1/b) - 1, convex in delta for b >= 1, comes down from delta = 1 / a.
// It ends as soon as its error bound parts the candidates; what the bound leaves open is settled exactly
// (entmax_exact.cpp).
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_SUPPORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_SUPPORT_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_SUPPORT_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_SUPPORT_INL_H
#endif

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/scale.hpp"
#include "src/normalizers/sparse/entmax_candidates-inl.h"
#include "src/normalizers/sparse/entmax_cuts-inl.h"
#include "src/normalizers/sparse/entmax_exact.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// The units of the iteration: T down up is 1 to 2 in f64; f32 needs no scaling, for double reaches far beyond it.
struct Units {
  double down, up, temperature;
};
HWY_INLINE Units units(const Scale<float>& scale) { return {1, 1, scale.given}; }
HWY_INLINE Units units(const Scale<double>& scale) { return {scale.down, scale.up, scale.exact_temperature}; }

// d = max - x of the candidates, rounded once.
template <class T>
class Distances {
 public:
  HWY_INLINE Distances(const Units& units, const Candidates<T>& candidates)
      : candidates_(candidates),
        units_(units),
        peak_(static_cast<double>(candidates.largest) * units.down),
        down_(hn::Set(Doubles(), units.down)),
        up_(hn::Set(Doubles(), units.up)),
        largest_(hn::Set(Doubles(), peak_)) {}

  HWY_INLINE DoubleV load(std::size_t i) const { return load_doubles(candidates_.logits + i); }
  HWY_INLINE DoubleV of(DoubleV x) const {
    if constexpr (sizeof(T) == 4) return hn::Sub(largest_, x);
    return hn::Mul(hn::Sub(largest_, hn::Mul(x, down_)), up_);
  }
  HWY_INLINE double of(double x) const { return (peak_ - x * units_.down) * units_.up; }
  HWY_INLINE std::size_t count() const { return candidates_.count; }

 private:
  const Candidates<T>& candidates_;
  Units units_;
  double peak_;
  DoubleV down_, up_, largest_;
};

// Sums over the candidates with d < delta, and the logits that stand next to delta.
struct Sums {
  double power, slope, count;  // of v^b, v^(b-1), 1
  double lowest, next;         // the smallest logit inside, the largest outside
};

constexpr double kNoBound = std::numeric_limits<double>::infinity();

// Two chains of each sum: additions wait for one another, not for the ports.
template <class Power>
struct SumsV {
  DoubleV power, slope, lowest, next;
  std::size_t count = 0;

  HWY_INLINE SumsV()
      : power(hn::Zero(Doubles())),
        slope(power),
        lowest(hn::Set(Doubles(), std::numeric_limits<double>::infinity())),
        next(hn::Neg(lowest)) {}

  template <class T>
  HWY_INLINE void add(const Distances<T>& distances, const Power& raise, std::size_t i, DoubleV limit, DoubleV rate) {
    const Doubles d;
    const DoubleV x = distances.load(i), w = hn::Sub(limit, distances.of(x));
    const auto inside = hn::Gt(w, hn::Zero(d));
    raise.accumulate(hn::IfThenElseZero(inside, hn::Mul(w, rate)), power, slope);
    count += hn::CountTrue(d, inside);
    lowest = hn::Min(lowest, hn::IfThenElse(inside, x, hn::Set(d, kNoBound)));
    next = hn::Max(next, hn::IfThenElse(inside, hn::Set(d, -kNoBound), x));
  }
};

template <class Power, class T>
HWY_INLINE Sums sums_at(const Distances<T>& distances, const Power& raise, double delta) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d), count = distances.count();
  const DoubleV limit = hn::Set(d, delta), rate = hn::Set(d, raise.rate);
  SumsV<Power> a, b;
  std::size_t i = 0;
  for (; i + lanes < count; i += 2 * lanes) {
    a.add(distances, raise, i, limit, rate);
    b.add(distances, raise, i + lanes, limit, rate);
  }
  if (i < count) a.add(distances, raise, i, limit, rate);
  const double size = static_cast<double>(a.count + b.count);
  return {hn::GetLane(hn::SumOfLanes(d, hn::Add(a.power, b.power))),
          Power::exponent_one ? size : hn::GetLane(hn::SumOfLanes(d, hn::Add(a.slope, b.slope))), size,
          -largest_lane(d, hn::Neg(hn::Min(a.lowest, b.lowest))), largest_lane(d, hn::Max(a.next, b.next))};
}

// The root of sum over the present set = 1, within `error`; an error of infinity where nothing is known of it.
struct SetRoot {
  double delta, error;
};

// sparsemax: b = 1.
struct LinearPower {
  static constexpr SparseFamily family = SparseFamily::sparsemax;
  static constexpr bool exponent_one = true, costly = false;
  static constexpr double exponent = 1, error = 0;
  double rate;  // a

  explicit LinearPower(double temperature) : rate(1 / temperature) {}
  HWY_INLINE void accumulate(DoubleV v, DoubleV& power, DoubleV&) const { power = hn::Add(power, v); }
  // The root on the present set: it cannot pass the true one.
  HWY_INLINE double next(double delta, const Sums& s, double) const { return delta - (s.power - 1) / (s.slope * rate); }
  HWY_INLINE SetRoot root_on_set(double delta, const Sums& s, double relative) const {
    const double root = next(delta, s, 0);
    return {root, 4 * relative * std::max(delta, root)};
  }
};

// 1.5-entmax: b = 2.
struct SquarePower {
  static constexpr SparseFamily family = SparseFamily::entmax15;
  static constexpr bool exponent_one = false, costly = false;
  static constexpr double exponent = 2, error = 0;
  double rate;

  explicit SquarePower(double temperature) : rate(0.5 / temperature) {}
  HWY_INLINE void accumulate(DoubleV v, DoubleV& power, DoubleV& slope) const {
    slope = hn::Add(slope, v);
    power = hn::MulAdd(v, v, power);
  }
  // The root on the present set, sum (v - s)^2 = 1, where it keeps the set; Newton's step otherwise.
  HWY_INLINE double next(double delta, const Sums& s, double farthest) const {
    const double over = s.power - 1, discriminant = s.slope * s.slope - s.count * over;
    const double root = delta - over / ((s.slope + std::sqrt(std::max(discriminant, 0.0))) * rate);
    if (discriminant > 0 && farthest < root) return root;
    return delta - (s.power - std::sqrt(s.power)) / (s.slope * rate);
  }
  HWY_INLINE SetRoot root_on_set(double delta, const Sums& s, double relative) const {
    const double over = s.power - 1, discriminant = s.slope * s.slope - s.count * over;
    const double left = std::sqrt(std::max(discriminant, 0.0)), root = delta - over / ((s.slope + left) * rate);
    const bool near = s.power < 1.5 && s.slope < 2 * left;
    return {root, near ? 4 * relative * std::max(delta, root) : kNoBound};
  }
};

template <class T>
struct Support {
  T lowest;                 // the smallest logit in it
  double delta;             // close to max - tau, in Units
  double gap = 0;           // lowest - tau
  double error = kNoBound;  // of the gap, where a bound was derived
};

template <class Power, class T>
HWY_INLINE T settle_exactly(const Power&, const Scale<T>& scale, const Candidates<T>& candidates, T outside, T inside) {
  return exact_lowest(Power::family, candidates.logits, candidates.count, scale.given, outside, inside);
}

// What the error bound leaves open: candidates with near <= d <= far.
template <class Power, class T>
HWY_NOINLINE T settle(const Power& raise, const Distances<T>& distances, const Candidates<T>& candidates,
                      const Scale<T>& scale, double near, double far) {
  T inside = candidates.largest, outside = -std::numeric_limits<T>::infinity();
  for (std::size_t i = 0; i < candidates.count; ++i) {
    const T x = candidates.logits[i];
    const double distance = distances.of(static_cast<double>(x));
    if (distance < near) inside = std::min(inside, x);
    if (distance > far) outside = std::max(outside, x);
  }
  return settle_exactly(raise, scale, candidates, outside, inside);
}

// |delta - root| <= radius. With u = 2^-53: every d and every delta - d is off by u, which is as if delta were off by 2
// u of itself; a and the product by u each, a sum of m terms by m u, v^b by Power::error: the relative error of F = sum
// v^b. And (ln F)' >= b / delta, because v <= a delta.
template <class Power>
HWY_INLINE double relative_error(const Power& raise, std::size_t candidates) {
  const double terms = static_cast<double>(candidates / hn::Lanes(Doubles()) + 16);
  return 0x1p-53 * terms + raise.error;
}
template <class Power>
HWY_INLINE double radius(const Power& raise, double delta, double power, std::size_t candidates) {
  const double relative = std::abs(power - 1) / std::min(power, 1.0) + relative_error(raise, candidates);
  return delta * ((relative / raise.exponent + 8 * 0x1p-53) * (1 + 0x1p-20));
}

// Where to begin: a part of the candidates gives a root above that of all, at a part of the cost.
template <class Power, class T>
HWY_INLINE double first_delta(const Power& raise, const Scale<T>& scale, const Candidates<T>& candidates) {
  const double most = 1 / raise.rate;
  double delta = most;
  if (candidates.count < 256) return delta;
  Candidates<T> part = candidates;
  part.count = candidates.count / 8 / 64 * 64 + 64;
  const Distances<T> distances(units(scale), part);
  for (int step = 0; step < 12; ++step) {
    const Sums sums = sums_at(distances, raise, delta);
    if (!(sums.power > 1.01)) break;
    delta = std::min(raise.next(delta, sums, distances.of(sums.lowest)), most);
  }
  return delta;
}

// tau - t of the present set, within `error` (docs/budgets.md): twice what errors of the sums move it by, or nothing
// known.
struct Shift {
  double by, error;
};
HWY_INLINE Shift shift_of(const LinearPower&, double temperature, const CutSums& s) {
  return {(s.first - temperature) / s.count, 2 * s.error * s.first / s.count};
}
HWY_INLINE Shift shift_of(const SquarePower&, double temperature, const CutSums& s) {
  const double whole = 4 * temperature * temperature, over = s.second - whole;
  const double square = s.first * s.first - s.count * over, left = std::sqrt(std::max(square, 0.0));
  const double by = over / (s.first + left), moved = s.error * (s.second + 2 * std::abs(by) * s.first);
  return {by, 2 * s.count * moved < square ? moved / left : kNoBound};
}
HWY_INLINE Sums sums_of(const LinearPower& raise, const CutSums& s) {
  return {s.first * raise.rate, s.count, s.count, 0, 0};
}
HWY_INLINE Sums sums_of(const SquarePower& raise, const CutSums& s) {
  return {s.second * raise.rate * raise.rate, s.first * raise.rate, s.count, 0, 0};
}

HWY_INLINE hn::Vec<hn::ScalableTag<float>> add_power(const LinearPower&, hn::Vec<hn::ScalableTag<float>> w,
                                                     hn::Vec<hn::ScalableTag<float>> sum) {
  return hn::Add(sum, w);
}
HWY_INLINE hn::Vec<hn::ScalableTag<float>> add_power(const SquarePower&, hn::Vec<hn::ScalableTag<float>> w,
                                                     hn::Vec<hn::ScalableTag<float>> sum) {
  return hn::MulAdd(w, w, sum);
}

// Among few candidates: x is in the support iff sum over z > x of (z - x)^b < (b T)^b. For all x at once, each z in
// turn, in float: the distance of the largest outside, a start from which one step of what follows nearly always
// decides. Nothing waits for a root or a quotient here, and nothing branches on what the row holds.
template <class Power>
HWY_INLINE double delta_of_few(const Power& raise, const Candidates<float>& candidates) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d), count = (candidates.count + lanes - 1) / lanes * lanes;
  const auto absent = hn::Set(d, -std::numeric_limits<float>::infinity()), zero = hn::Zero(d);
  const double most = 1 / raise.rate;
  const auto limit = hn::Set(d, static_cast<float>(Power::exponent_one ? most : most * most));
  auto next = absent;
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto x = hn::LoadU(d, candidates.logits + i);
    auto a = zero, b = zero;
    for (std::size_t j = 0; j < count; j += 2) {  // beyond the candidates -inf, which adds nothing
      a = add_power(raise, hn::Max(hn::Sub(hn::Set(d, candidates.logits[j]), x), zero), a);
      b = add_power(raise, hn::Max(hn::Sub(hn::Set(d, candidates.logits[j + 1]), x), zero), b);
    }
    next = hn::Max(next, hn::IfThenElse(hn::Lt(hn::Add(a, b), limit), absent, x));
  }
  const double delta = static_cast<double>(candidates.largest) - static_cast<double>(largest_lane(d, next));
  return delta > 0 && delta < most ? delta : most;
}

// A set that its own root bounds is the support: one pass decides wherever it begins in the right set. False:
// undecided.
template <class Power>
HWY_INLINE bool support_from_cuts(const Power& raise, double temperature, const Candidates<float>& candidates,
                                  double& delta, Support<float>& support) {
  const double peak = static_cast<double>(candidates.largest);
  for (int step = 0; step < 40; ++step) {
    const float t = static_cast<float>(peak - delta);
    const double base = static_cast<double>(t), from = peak - base;
    const CutSums sums = cut_sums(candidates, t);
    if (!(sums.count > 0)) return false;
    const Shift shift = shift_of(raise, temperature, sums);
    const double rise = static_cast<double>(sums.lowest) - base, gap = rise - shift.by;
    const double error = shift.error + 0x1p-50 * (rise + std::abs(shift.by));
    const double below = shift.by - (static_cast<double>(sums.next) - base);
    if (HWY_LIKELY(gap > error && below * (1 - 0x1p-50) > error)) {
      support = {sums.lowest, from - shift.by, gap, error};
      return true;
    }
    const double next = raise.next(from, sums_of(raise, sums), peak - static_cast<double>(sums.lowest));
    if (!(next > 0) || !(std::abs(next - delta) > 0x1p-24 * delta)) return false;
    delta = next;
  }
  return false;
}

template <class Power, class T>
HWY_INLINE Support<T> find_support(const Power& raise, const Scale<T>& scale, const Candidates<T>& candidates) {
  const Distances<T> distances(units(scale), candidates);
  double delta = candidates.delta > 0 ? candidates.delta : first_delta(raise, scale, candidates), error = delta;
  if constexpr (sizeof(T) == 4 && !Power::costly) {
    const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
    if (lanes >= 4 && candidates.count <= 2 * lanes) delta = delta_of_few(raise, candidates);
    Support<T> support{};
    if (HWY_LIKELY(support_from_cuts(raise, scale.given, candidates, delta, support))) return support;
  }
  for (int step = 0; step < 200; ++step) {
    const Sums sums = sums_at(distances, raise, delta);
    const double farthest = distances.of(sums.lowest), nearest = distances.of(sums.next);
    const SetRoot root = raise.root_on_set(delta, sums, relative_error(raise, candidates.count));
    if (HWY_LIKELY(farthest < root.delta - root.error && nearest > root.delta + root.error)) {
      return {static_cast<T>(sums.lowest), root.delta, root.delta - farthest, root.error};
    }
    error = radius(raise, delta, sums.power, candidates.count);
    const double next = raise.next(delta, sums, farthest);
    if (farthest < delta - error && nearest > delta + error) return {static_cast<T>(sums.lowest), next};
    if (!(std::abs(next - delta) > 0x1p-46 * delta)) break;
    delta = next;
  }
  return {settle(raise, distances, candidates, scale, delta - error, delta + error), delta};
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
