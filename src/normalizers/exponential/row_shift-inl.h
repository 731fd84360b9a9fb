// What a row, by its largest logit, adds to the constants of its call.
#if defined(ATTNCERT_NORMALIZERS_ROW_SHIFT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ROW_SHIFT_INL_H
#undef ATTNCERT_NORMALIZERS_ROW_SHIFT_INL_H
#else
#define ATTNCERT_NORMALIZERS_ROW_SHIFT_INL_H
#endif

#include <cmath>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/scale.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
HWY_INLINE bool is_finite(T value) {
  return std::abs(value) <= std::numeric_limits<T>::max();
}

// What one row adds to the constants of its call: plain numbers, so that rows can be prepared ahead.
template <class T>
struct RowShift {
  bool unit;   // nothing to scale or subtract
  bool near;   // nothing to subtract, and T serves without powers of two
  T subtract;  // max down, beyond the reach of the exponent; else 0
  T floor;     // what is below cannot reach half of the smallest subnormal; f32: its exponential is 0
  T near_floor;
  T magic;  // 1.5 2^(p-1) + bias - N: adding it rounds to an integer and leaves n - N + bias in the low bits
};

template <class T>
HWY_INLINE RowShift<T> row_shift(const Scale<T>& scale, T largest) {
  using Limits = FormatLimits<T>;
  constexpr T round_bit = Limits::mantissa_bits == 24 ? T(0x1.8p23) : T(0x1.8p52);
  RowShift<T> shift;
  T peak = largest * scale.down * scale.up;  // may overflow: then it is out of reach
  const bool beyond = !(peak <= T(Limits::reach) * scale.temperature && peak >= T(-Limits::reach) * scale.temperature);
  shift.unit = scale.unit && !beyond;
  shift.subtract = beyond ? largest * scale.down : T(0);
  if (beyond) peak = 0;
  shift.near = scale.near && !beyond;
  const T n = (peak * scale.rate + round_bit) - round_bit;
  shift.floor = (n - T(Limits::span)) * (scale.head + scale.tail);
  shift.near_floor = shift.near ? (n - T(Limits::span)) * (scale.near_head + scale.near_tail) : T(0);
  shift.magic = (round_bit + T(Limits::largest + Limits::headroom)) - n;
  return shift;
}

// Logits this much below the largest, in units of T, have exponentials of at least 2, and weights that are normal.
constexpr int kShallowDepth = 40;

// Whether a row is shallow, as two forms of RowExp ask for. False where a NaN shows.
template <class T>
HWY_INLINE bool is_shallow(const Scale<T>& scale, const RowShift<T>& shift, T largest, T smallest) {
  return shift.near && smallest >= largest - T(kShallowDepth) * scale.near_temperature;
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
