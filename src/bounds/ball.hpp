// Arithmetic on certified numbers in f64: every operation adds its own rounding to the error. For the O(L) formulas
// around a pass, where a proof by hand would be longer than the code.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/bounds/certified.hpp"

namespace attncert::bounds {

inline constexpr double roundoff = 0x1p-53;
// Above the roundings of the error itself (at most 6 operations) and any underflow; a normal number, so that it costs
// no time. The error of something unknown is infinite or NaN; Curve::set makes both infinite.
inline double error_above(double error) { return error * (1 + 0x1p-49) + 0x1p-1000; }

inline Certified exact(double value) { return {value, 0}; }

inline Certified operator+(Certified a, Certified b) {
  const double value = a.value + b.value;
  return {value, error_above(a.error + b.error + std::fabs(value) * roundoff)};
}
inline Certified operator-(Certified a) { return {-a.value, a.error}; }
inline Certified operator-(Certified a, Certified b) { return a + -b; }
inline Certified operator*(Certified a, Certified b) {
  const double value = a.value * b.value;
  return {value, error_above(std::fabs(a.value) * b.error + a.error * (std::fabs(b.value) + b.error) +
                             std::fabs(value) * roundoff)};
}
inline Certified operator/(Certified a, Certified b) {
  const double least = std::fabs(b.value) - b.error;
  if (!(least > 0)) return unknown;
  const double value = a.value / b.value;
  return {value,
          error_above((a.error + std::fabs(value) * b.error) / least * (1 + 0x1p-50) + std::fabs(value) * roundoff)};
}

// The root of a number that is known to be nonnegative. With r = sqrt(max(value, error)) the exact root is within error
// / r of r: below the error it lies in [0, sqrt(2 error)].
inline Certified square_root(Certified a) {
  if (!(a.error >= 0) || std::isnan(a.value)) return unknown;
  const double root = std::sqrt(std::max(a.value, a.error));
  if (!(root > 0)) return {0, 0};
  return {root, error_above(a.error / root + root * roundoff)};
}

// 2^exponent as two factors, each of them normal.
struct PowerOfTwo {
  explicit PowerOfTwo(int exponent)
      : first(std::ldexp(1.0, exponent / 2)), second(std::ldexp(1.0, exponent - exponent / 2)) {}
  double first, second;
};

// `unknown` where the result leaves the range of f64.
inline Certified operator*(Certified a, PowerOfTwo scale) {
  const Certified result{a.value * scale.first * scale.second, a.error * scale.first * scale.second};
  if (!(std::fabs(result.value) + result.error <= std::numeric_limits<double>::max())) return unknown;
  // Near the end of the normal range a number is rounded once more, by 2^-1075 at most.
  const bool small = std::fabs(result.value) < 0x1p-1000 && a.value != 0;
  return small || (a.error > 0 && result.error < 0x1p-1000) ? Certified{result.value, result.error + 0x1p-1070}
                                                            : result;
}

}  // namespace attncert::bounds
