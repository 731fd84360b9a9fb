// Random closed sets of reals, drawn from a tape: points, slivers, wide, straddling, half-infinite; of small rationals,
// values near 0, near -1 and 1, and exponents far beyond a double's. Ends are dyadics of at most 40 bits, exact at
// every precision tested, so that two precisions speak of the same set.
#pragma once

#include "reference/interval.hpp"
#include "src/core/tape.hpp"

namespace attncert {

struct RandomSet {
  Rational low, high;
  bool low_infinite = false, high_infinite = false;
};

inline Rational power_of_two(long exponent) {
  Rational value(1);
  if (exponent >= 0) mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return value;
}

inline Rational random_dyadic(Choices& choices) {
  const Rational significand(static_cast<long>(choices.between(0, (1 << 20) - 1)) + (1 << 19));
  const int sign = choices.flip() ? -1 : 1;
  switch (choices.below(7)) {
    case 0:
      return Rational(static_cast<long>(choices.between(0, 12)) * sign) / 4;  // small
    case 1:
      return sign * significand * power_of_two(-20);  // around 1
    case 2:
      return sign * significand * power_of_two(-static_cast<long>(choices.below(100)));
    case 3:
      return sign * significand * power_of_two(-1200 - static_cast<long>(choices.below(4000)));  // tiny
    case 4:
      return sign * significand * power_of_two(static_cast<long>(choices.below(5000)));  // huge
    case 5:
      return sign * (1 + (choices.flip() ? -1 : 1) * power_of_two(-static_cast<long>(choices.below(38))));  // near 1
    default:
      return 0;
  }
}

inline RandomSet random_set(Choices& choices) {
  const Rational x = random_dyadic(choices);
  switch (choices.below(6)) {
    case 0:
    case 1:
      return {x, x};  // a point
    case 2:
      return {x, x == 0 ? power_of_two(-50) : Rational(x + abs(x) * power_of_two(-16))};  // a sliver
    case 3: {
      const Rational y = random_dyadic(choices);
      return {x < y ? x : y, x < y ? y : x};
    }
    case 4: {  // straddling
      const Rational y = random_dyadic(choices);
      return {-abs(x), abs(y)};
    }
    default: {
      const std::uint64_t side = choices.below(3);
      return {x, x, side != 1, side != 0};
    }
  }
}

inline Interval interval(const RandomSet& set, Precision precision) {
  const Interval line = Interval::whole_line(precision);
  const Interval low = set.low_infinite ? line : Interval(set.low, precision);
  return Interval::between(low, set.high_infinite ? line : Interval(set.high, precision));
}

// An element of the set: one of its ends, or something between them that need not be dyadic.
inline Rational element(const RandomSet& set, Choices& choices) {
  const Rational far = abs(random_dyadic(choices));
  const Rational low = set.low_infinite ? Rational(set.high - far) : set.low;
  const Rational high = set.high_infinite ? Rational(set.low + far) : set.high;
  switch (choices.below(3)) {
    case 0:
      return low;
    case 1:
      return high;
    default:
      return low + (high - low) * ratio(static_cast<long>(choices.below(8)), 7);
  }
}

}  // namespace attncert
