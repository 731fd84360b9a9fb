// tanh and its slope, which a softcap needs.
#pragma once

namespace attncert::reference {

// By the exponential that is at most 1, so that no large argument overflows, and by expm1, which keeps the relative
// width near 0.
template <class Number>
Number tanh(const Number& y) {
  if (y.upper() < 0) return -tanh(-y);
  const Number one(1.0, y.precision()), below = expm1(-(y + y));  // e^(-2y) - 1
  return -below / (below + one + one);
}

template <class Number>
Number tanh_slope(const Number& y) {  // 1 / cosh(y)^2; y >= 0
  const Number one(1.0, y.precision()), four(4.0, y.precision()), power = exp(-(y + y));
  return four * power / square(one + power);
}

}  // namespace attncert::reference
