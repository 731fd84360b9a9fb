// Rational numbers drawn from a tape. Zero choices give the simplest number (0 or 1).
#pragma once

#include "src/core/rational.hpp"
#include "src/core/tape.hpp"

namespace attncert {

Rational small_rational(Choices& choices);     // p/q, |p| <= 8, q <= 8
Rational any_rational(Choices& choices);       // small, decimal magnitudes 10^-9..10^9, or the bits of a finite double
Rational positive_rational(Choices& choices);  // as any_rational, > 0, magnitudes kept within 10^-9..10^9
Rational temperature_rational(Choices& choices);  // 1, simple fractions, powers of two and of ten from 10^-30 to 10^30

// 10^exponent, exactly.
Rational power_of_ten(int exponent);
Rational power_of_two(int exponent);

}  // namespace attncert
