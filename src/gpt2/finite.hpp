// Captured numbers are finite, or nothing is measured of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace attncert {

inline bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace attncert
