#include "properties/conformance/double_double/judge_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "properties/conformance/double_double/judge_pass.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "properties/conformance/double_double/double_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;

HWY_INLINE V as_doubles(const double* x) { return hn::LoadU(D(), x); }
HWY_INLINE V as_doubles(const float* x) { return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), x)); }

// kEach: what is allowed goes by position. kMagnitude: so does the unit. kError: so does what the truth errs by.
template <class T, bool kEach, bool kMagnitude, bool kError>
class Screen {
 public:
  HWY_INLINE Screen(const JudgePass& pass, const T* computed, std::vector<std::size_t>& flagged)
      : pass_(pass),
        computed_(computed),
        flagged_(flagged),
        worst_(hn::Zero(D())),
        worst_too_(worst_),
        share_{worst_, worst_} {}

  HWY_INLINE Screened run() {
    const std::size_t lanes = hn::Lanes(D()), length = pass_.truth.length;
    std::size_t i = 0;
    for (; i + 2 * lanes <= length; i += 2 * lanes) {
      const Mask a = inside(i, as_doubles(computed_ + i), worst_, share_);
      const Mask b = inside(i + lanes, as_doubles(computed_ + i + lanes), worst_too_, share_);
      if (HWY_UNLIKELY(!hn::AllTrue(D(), hn::And(a, b)))) {
        flag(i, a, lanes);
        flag(i + lanes, b, lanes);
      }
    }
    for (; i + lanes <= length; i += lanes) flag(i, inside(i, as_doubles(computed_ + i), worst_, share_), lanes);
    if (i < length) part(i, length - i);
    HWY_ALIGN double values[HWY_MAX_BYTES / sizeof(double)], allowed[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(hn::Max(worst_, worst_too_), D(), values);
    const double worst = *std::max_element(values, values + lanes);
    hn::Store(share_.fraction, D(), values);
    hn::Store(share_.allowed, D(), allowed);
    const double* const most = std::max_element(values, values + lanes);
    return {worst, *most, allowed[most - values]};
  }

 private:
  struct Share {
    V fraction, allowed;  // the largest of each lane, and what is allowed there
  };

  static HWY_INLINE V set(double value) { return hn::Set(D(), value); }

  // 2^(digits - 1 - floor(log2 v)), the reciprocal of v's unit; of a power of two that of the binade below.
  // docs/double-double.md, 5.
  HWY_INLINE V inverse_unit(V v) const {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::Sub(hn::BitCast(du, hn::Max(v, set(pass_.lowest))), hn::Set(du, std::uint64_t{1}));
    const auto exponent = hn::And(bits, hn::Set(du, std::uint64_t{0x7FF} << 52));
    const auto top = static_cast<std::uint64_t>(2046 + pass_.digits - 1) << 52;
    return hn::BitCast(D(), hn::Sub(hn::Set(du, top), exponent));
  }

  HWY_INLINE V limit(std::size_t i) const {
    if constexpr (!kEach) return set(pass_.limit);
    return hn::Mul(hn::Sub(hn::LoadU(D(), pass_.each + i), set(pass_.error)), set(shrunk));
  }

  HWY_INLINE Mask inside(std::size_t i, V computed, V& worst, Share& share) const {
    const Truth& truth = pass_.truth;
    VectorPair<V> exact{hn::LoadU(D(), truth.high + i), hn::LoadU(D(), truth.low + i)};
    exact = multiply(D(), exact, VectorPair<V>{set(truth.times.high), set(truth.times.low)});
    exact = fast_two_sum(exact.high, exact.low);
    V difference = hn::Abs(hn::Sub(hn::Sub(hn::Mul(computed, set(pass_.factor)), exact.high), exact.low));
    V magnitude = hn::Abs(exact.high);
    if constexpr (kError) {
      const V of_truth = hn::LoadU(D(), truth.error + i);
      difference = hn::Add(difference, of_truth);
      magnitude = hn::Max(hn::Sub(magnitude, of_truth), hn::Zero(D()));
    }
    if constexpr (kMagnitude) magnitude = hn::Mul(hn::LoadU(D(), truth.magnitude + i), set(1 - 0x1p-44));
    const V error = hn::Mul(difference, inverse_unit(magnitude)), most = limit(i);
    Mask good = hn::Le(error, most);
    if constexpr (kEach) {
      good = hn::And(good, hn::Gt(most, hn::Zero(D())));
      const V fraction = hn::IfThenElseZero(good, hn::Div(error, most));
      share.allowed = hn::IfThenElse(hn::Gt(fraction, share.fraction), hn::LoadU(D(), pass_.each + i), share.allowed);
      share.fraction = hn::Max(share.fraction, fraction);
    }
    worst = hn::Max(worst, hn::IfThenElseZero(good, error));
    return good;
  }

  HWY_INLINE void flag(std::size_t i, Mask good, std::size_t count) {
    if (HWY_LIKELY(hn::AllTrue(D(), good))) return;
    HWY_ALIGN double bad[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(hn::IfThenZeroElse(good, set(1)), D(), bad);
    for (std::size_t k = 0; k < count; ++k)
      if (bad[k] != 0) flagged_.push_back(i + k);
  }

  // The end of a row: arrays of our own may be read beyond it, the caller's may not.
  HWY_NOINLINE void part(std::size_t i, std::size_t count) {
    HWY_ALIGN T computed[HWY_MAX_BYTES / sizeof(double)] = {};
    std::memcpy(computed, computed_ + i, count * sizeof(T));
    HWY_ALIGN double each[HWY_MAX_BYTES / sizeof(double)] = {}, magnitude[HWY_MAX_BYTES / sizeof(double)] = {},
                                          high[HWY_MAX_BYTES / sizeof(double)] = {},
                                          low[HWY_MAX_BYTES / sizeof(double)] = {},
                                          error[HWY_MAX_BYTES / sizeof(double)] = {};
    Truth truth = pass_.truth;
    std::memcpy(high, truth.high + i, count * sizeof(double));
    std::memcpy(low, truth.low + i, count * sizeof(double));
    truth.high = high;
    truth.low = low;
    if constexpr (kMagnitude) {
      std::memcpy(magnitude, truth.magnitude + i, count * sizeof(double));
      truth.magnitude = magnitude;
    }
    if constexpr (kError) {
      std::memcpy(error, truth.error + i, count * sizeof(double));
      truth.error = error;
    }
    if constexpr (kEach) std::memcpy(each, pass_.each + i, count * sizeof(double));
    const JudgePass pass{truth,       pass_.digits, pass_.factor,          pass_.lowest,
                         pass_.error, pass_.limit,  kEach ? each : nullptr};
    Screen<T, kEach, kMagnitude, kError> rest(pass, computed, flagged_);
    const Mask good = rest.inside(0, as_doubles(computed), worst_, share_);
    flag(i, good, count);
  }

  const JudgePass& pass_;
  const T* computed_;
  std::vector<std::size_t>& flagged_;
  V worst_, worst_too_;
  Share share_;
};

template <bool kEach, bool kMagnitude, class T>
HWY_INLINE Screened screened(const JudgePass& pass, const T* computed, std::vector<std::size_t>& flagged) {
  if (pass.truth.error != nullptr) return Screen<T, kEach, kMagnitude, true>(pass, computed, flagged).run();
  return Screen<T, kEach, kMagnitude, false>(pass, computed, flagged).run();
}

template <class T>
HWY_INLINE Screened screened(const JudgePass& pass, const T* computed, std::vector<std::size_t>& flagged) {
  const bool sized = pass.truth.magnitude != nullptr;
  if (pass.each != nullptr)
    return sized ? screened<true, true>(pass, computed, flagged) : screened<true, false>(pass, computed, flagged);
  return sized ? screened<false, true>(pass, computed, flagged) : screened<false, false>(pass, computed, flagged);
}

Screened screen_f32(const JudgePass& pass, const float* computed, std::vector<std::size_t>& flagged) {
  return screened(pass, computed, flagged);
}
Screened screen_f64(const JudgePass& pass, const double* computed, std::vector<std::size_t>& flagged) {
  return screened(pass, computed, flagged);
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_double {

HWY_EXPORT(screen_f32);
HWY_EXPORT(screen_f64);

Screened screen(const JudgePass& pass, const float* computed, std::vector<std::size_t>& flagged) {
  return HWY_DYNAMIC_DISPATCH(screen_f32)(pass, computed, flagged);
}
Screened screen(const JudgePass& pass, const double* computed, std::vector<std::size_t>& flagged) {
  return HWY_DYNAMIC_DISPATCH(screen_f64)(pass, computed, flagged);
}

}  // namespace attncert::double_double
#endif  // HWY_ONCE
