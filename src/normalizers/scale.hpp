// How a temperature enters a kernel: x / T = n ln2 + t is reduced in units of T, t T = x - n (T ln2), so x / T is never
// rounded on its own. T ln2 is held as head + tail with a head short enough that n * head is exact on every instruction
// set (Cody and Waite, 1980), with or without fused multiply-add. Powers of two bring T into [1, 2) first.
#pragma once

#include <type_traits>

namespace attncert {

template <class T>
struct FormatLimits;
template <>
struct FormatLimits<float> {
  static constexpr int mantissa_bits = 24;
  static constexpr int head_cut = 10;   // zeroed bits of the head: |n| < 2^10, since |x/T| < reach + depth
  static constexpr double reach = 256;  // above it max - x is exact for every x that matters (Sterbenz)
  static constexpr double depth = 126;  // e^-126 < 2^-181: 2^30 of them stay below half of the smallest subnormal
  static constexpr int headroom = 60;   // the largest exponential is about 2^60: none of the others is subnormal
  static constexpr int smallest = -126, largest = 127;
  static constexpr int span = largest + headroom;       // that many powers of two below the largest an exponential is 0
  static constexpr int near = 60;                       // |log2 T|, for T near
  static constexpr double temperature_limit = 0x1p160;  // beyond it (below its inverse) weights no longer change
  static constexpr double sparse_limit = 0x1p220;       // for sparsemax, where differences / T stand beside 1 / L
};
template <>
struct FormatLimits<double> {
  static constexpr int mantissa_bits = 53;
  static constexpr int head_cut = 12;  // |n| < 2^12
  static constexpr double reach = 2048;
  static constexpr double depth = 780;  // e^-780 < 2^-1125
  static constexpr int headroom = 512;
  static constexpr int smallest = -1022, largest = 1023;
  static constexpr int span = 1125;  // depth, in powers of two
  static constexpr int near = 500;
  static constexpr double temperature_limit = 0;  // every double serves as it is
  static constexpr double sparse_limit = 0;
};

// The constants of one call (one temperature).
template <class T>
struct Scale {
  bool unit;      // T = 1: nothing is to be multiplied
  T down, up;     // powers of two, down <= 1 <= up: d = (x down - c down) up neither overflows early nor loses bits
  T temperature;  // T down up, in [1, 2) but for temperatures near the end of the format
  T head, tail;   // temperature ln2
  T rate;         // log2(e) / temperature
  T inverse;      // 1 / temperature, and what its rounding left
  T inverse_tail;
  double exact_temperature;  // T down up, and T itself (kept within the limit), without rounding to the format
  double given;
  bool near;  // T is far from the ends of the format: the constants of x itself, without down and up, serve as well
  T near_head, near_tail, near_rate, near_inverse, near_temperature;
};

// A temperature with digits to spare beyond those of T. In f32 nothing goes through x87, which costs as much as a short
// row.
template <class T>
using WideTemperature = std::conditional_t<sizeof(T) == 4, double, long double>;

// temperature > 0, not NaN. limit: temperatures outside [1 / limit, limit] act as the nearer end. f64: a quotient of
// doubles comes as a long double: it may lie outside the range of double, and its digits beyond 53 go into the tail.
template <class T>
Scale<T> make_scale(WideTemperature<T> temperature, double limit);
extern template Scale<float> make_scale<float>(double, double);
extern template Scale<double> make_scale<double>(long double, double);

}  // namespace attncert
