// Whether what a bound kernel reports encloses the exact value.
#pragma once

#include <cmath>

#include "reference/interval.hpp"
#include "src/bounds/certified.hpp"

namespace attncert::bounds {

// Is |value - exact| <= error for certain?
inline bool holds(Certified number, const Interval& exact) {
  if (!std::isfinite(number.value) || !(number.error >= 0)) return false;
  const Interval off = abs(Interval(number.value, exact.precision()) - exact);
  return less_equal(off, Interval(number.error, exact.precision())) == Truth::yes;
}

}  // namespace attncert::bounds
