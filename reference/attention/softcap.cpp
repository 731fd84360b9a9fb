#include "reference/attention/softcap.hpp"

namespace attncert::reference {

// By the exponential that is at most 1, so that no large argument overflows, and by expm1, which keeps the relative
// width near 0.
Interval tanh(const Interval& y) {
  if (y.upper() < 0) return -tanh(-y);
  const Interval one(1.0, y.precision()), below = expm1(-(y + y));  // e^(-2y) - 1
  return -below / (below + one + one);
}

Interval tanh_slope(const Interval& y) {
  const Interval one(1.0, y.precision()), four(4.0, y.precision()), power = exp(-(y + y));
  return four * power / square(one + power);
}

}  // namespace attncert::reference
