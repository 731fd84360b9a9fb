// How near an error of a kernel is to a violation, as a search climbs it and a person reads it.
#pragma once

#include <algorithm>

namespace attncert {

inline constexpr double of_rounding = 0.5;  // ulp

// `ulp` of error at one entry were `fraction` of what is allowed there. Rounding to nearest alone costs half an ulp, in
// almost every row: what comes nearer to a violation is the part beyond it, 0 to 1, and only that can be climbed. A
// violation is above 1.
constexpr double beyond_rounding(double ulp, double fraction) {
  if (fraction > 1) return fraction;
  if (!(ulp > of_rounding && fraction > 0)) return 0;
  const double room = ulp / fraction - of_rounding;  // 0 when no more than that is allowed and all of it was taken
  return room > 0 ? std::min(1.0, (ulp - of_rounding) / room) : 0;
}

// Where no more than twice a rounding is `allowed` (ulp) most of that is always taken: for a person such come behind
// all others.
constexpr double rank(double beyond, double allowed) {
  constexpr double behind = 0x1p-10;
  return beyond <= 1 && allowed <= 2 * of_rounding ? behind * beyond : beyond;
}

}  // namespace attncert
