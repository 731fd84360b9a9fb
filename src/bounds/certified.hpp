// What every bound kernel returns: a number with a proved bound of its error, |value - exact| <= error, where "exact"
// is the mathematics on the inputs as they are given (docs/bounds.md has the proofs). A kernel that cannot say anything
// returns NaN with an infinite error.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace attncert::bounds {

struct Certified {
  double value = 0, error = 0;
};
inline constexpr Certified unknown{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};

// One Certified a point.
struct Curve {
  std::vector<double> value, error;

  void assign(std::size_t points) {
    value.assign(points, 0);
    error.assign(points, 0);
  }
  Certified operator[](std::size_t point) const { return {value[point], error[point]}; }
  void set(std::size_t point, Certified number) {
    value[point] = number.value;
    error[point] = number.error >= 0 ? number.error : unknown.error;  // NaN: made of something unknown
  }
};

}  // namespace attncert::bounds
