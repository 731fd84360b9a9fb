// The one definition of error in ulp. The unit of a value v of a type with p bits and smallest normal exponent emin is
// ulp(v) = 2^(max(floor(log2 |v|), emin) - p + 1): below the smallest normal it stays the smallest subnormal.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/interval.hpp"

namespace attncert {

struct UlpError {
  double lower = 0;  // the error |computed - exact| / ulp is certainly at least this,
  double upper = 0;  // and at most this; +inf when computed is NaN, or is infinite where the exact value is not
};

struct UlpFormat {
  int digits, min_exponent;  // as std::numeric_limits has them
};
template <class T>
inline constexpr UlpFormat ulp_format{std::numeric_limits<T>::digits, std::numeric_limits<T>::min_exponent};

// log2 of ulp(value); value 0 has the smallest unit. `format` has no normal number below those of double.
inline int ulp_exponent(long double value, const UlpFormat& format) {
  const double nearest = std::abs(static_cast<double>(value));  // in its binade, or the first number of the next one
  const auto bits = std::bit_cast<std::uint64_t>(nearest);
  const int biased = static_cast<int>(bits >> 52), smallest = format.min_exponent - 1;
  int binade = biased - 1023;
  if (biased == 0) binade = smallest;
  else if (biased == 2047) binade = std::ilogb(value);
  else if (bits << 12 == 0 && nearest > std::abs(value)) --binade;
  return std::max(binade, smallest) - format.digits + 1;
}

// Error of a computed value against an enclosure of the exact one; the enclosure must be finite. The unit is
// ulp(max(|exact|, magnitude)), of the enclosure's ends, outward.
UlpError ulp_error(double computed, const UlpFormat& format, const Interval& exact, long double magnitude = 0);

template <class T>  // float or double
UlpError ulp_error(T computed, const Interval& exact) {
  return ulp_error(static_cast<double>(computed), ulp_format<T>, exact);
}

}  // namespace attncert
