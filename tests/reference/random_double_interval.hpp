// Intervals of doubles of every size, with a number in each.
#pragma once

#include <algorithm>
#include <cmath>

#include "reference/double_interval.hpp"
#include "src/core/tape.hpp"

namespace attncert {

// Any finite double: around 1, small, tiny, huge, subnormal, 0.
inline double any_double(Choices& choices) {
  const double digits = 1 + std::ldexp(static_cast<double>(choices.below(std::uint64_t{1} << 52)), -52);
  const double sign = choices.flip() ? -1 : 1;
  switch (choices.below(8)) {
    case 0:
      return 0;
    case 1:
      return sign * std::ldexp(digits, static_cast<int>(choices.between(-1074, 1023)));
    case 2:
      return sign * std::ldexp(digits, static_cast<int>(choices.between(-1074, -1000)));
    case 3:
      return sign * static_cast<double>(choices.below(10));
    case 4:
      return sign * std::ldexp(digits, static_cast<int>(choices.between(-60, 0)));
    default:
      return sign * std::ldexp(digits, static_cast<int>(choices.between(-3, 9)));
  }
}

struct SetAndElement {
  DoubleInterval set;
  double element;
};

inline SetAndElement drawn_set(Choices& choices) {
  double low = any_double(choices), high = choices.flip() ? low : any_double(choices);
  if (choices.below(4) == 0) high = std::nextafter(low, INFINITY);
  if (low > high) std::swap(low, high);
  const double ends[] = {low, high, low / 2 + high / 2};
  const double element = choices.pick(ends);
  return {DoubleInterval::between(low, high), std::min(std::max(element, low), high)};
}

}  // namespace attncert
