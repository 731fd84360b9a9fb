#include "src/core/counter.hpp"

#include <cmath>

namespace attncert {
namespace {

// log x for x in (0, 1): m 2^e with m in [sqrt(1/2), sqrt 2), log m = 2 artanh((m-1)/(m+1)). |ratio| <= 0.172, so
// twelve terms leave less than 0.172^25 / 25 < 2^-67. Only + - * /, hence the same bits everywhere.
double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double ratio = (m - 1) / (m + 1), square = ratio * ratio;
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * square + 1.0 / k;
  return exponent * 0.69314718055994531 + 2 * ratio * series;
}

double symmetric_unit(std::uint64_t word) {  // an odd multiple of 2^-53 in (-1, 1): never 0
  return static_cast<double>(static_cast<std::int64_t>(word >> 11) * 2 + 1) * 0x1p-53 - 1;
}

}  // namespace

double normal_of(std::uint64_t word) {
  for (std::uint64_t attempt = 0;; ++attempt) {  // accepted with probability pi / 4
    const std::uint64_t first = mixed(word + attempt);
    const double u = symmetric_unit(first), v = symmetric_unit(mixed(first)), s = u * u + v * v;
    if (s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

}  // namespace attncert
