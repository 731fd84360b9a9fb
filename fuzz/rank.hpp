// How near an error of a kernel is to a violation, as a search climbs it and a person reads it.
#pragma once

#include <algorithm>

namespace attncert {

inline constexpr double of_rounding = 0.5;  // ulp

// An error of `ulp` at one entry is `fraction` of what is allowed there. Rounding to nearest alone costs half an ulp in
// almost every row, so a search can climb only on what an error has beyond that: 0 at half an ulp, 1 at what is
// allowed. A violation is above 1.
constexpr double beyond_rounding(double ulp, double fraction) {
  if (fraction > 1) return fraction;
  if (!(ulp > of_rounding && fraction > 0)) return 0;
  const double room = ulp / fraction - of_rounding;  // 0 when no more than that is allowed and all of it was taken
  return room > 0 ? std::min(1.0, (ulp - of_rounding) / room) : 0;
}

// Where at most twice a rounding is `allowed` (ulp), almost every row takes most of it and says nothing: such records
// are shown to a person behind all others.
constexpr double rank(double beyond, double allowed) {
  constexpr double behind = 0x1p-10;
  return beyond <= 1 && allowed <= 2 * of_rounding ? behind * beyond : beyond;
}

}  // namespace attncert
