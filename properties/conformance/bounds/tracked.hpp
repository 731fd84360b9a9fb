// Long double with a running bound of its error: every operation adds what it may lose. The plain bound kernels are
// written in it. u = 2^-64 a rounding; functions of libm are taken to be good to 4 u. Bounds are themselves rounded,
// hence the slack.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/bounds/subject.hpp"

namespace attncert {

static_assert(std::numeric_limits<long double>::digits >= 64 &&
              std::numeric_limits<long double>::max_exponent >= 16384);

struct Tracked {
  long double value = 0, error = 0;

  static constexpr long double u = 0x1p-64L, slack = 1 + 0x1p-50L;
  Tracked() = default;
  Tracked(long double exact) : value(exact) {}
  Tracked(long double rounded, long double off, long double roundings = 1)
      : value(rounded), error((off + roundings * u * std::fabs(rounded)) * slack) {}
  long double low() const { return value - error; }
  long double high() const { return value + error; }
};

inline Tracked operator+(const Tracked& a, const Tracked& b) { return {a.value + b.value, a.error + b.error}; }
inline Tracked operator-(const Tracked& a, const Tracked& b) { return {a.value - b.value, a.error + b.error}; }
inline Tracked operator-(const Tracked& a) { return {-a.value, a.error, 0}; }
// What a product or quotient that is not 0 may lose by leaving the range of long double.
inline long double underflow(long double rounded, long double a) {
  constexpr long double smallest = std::numeric_limits<long double>::min();
  return a != 0 && std::fabs(rounded) < smallest ? smallest : 0;
}
inline Tracked operator*(const Tracked& a, const Tracked& b) {
  const long double product = a.value * b.value, lost = b.value == 0 ? 0 : underflow(product, a.value);
  return {product, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error + lost};
}
inline Tracked operator/(const Tracked& a, const Tracked& b) {
  const long double least = std::fabs(b.value) - b.error;
  if (!(least > 0)) return {0, std::numeric_limits<long double>::infinity()};
  const long double quotient = a.value / b.value;
  return {quotient, (a.error + std::fabs(quotient) * b.error) / least + underflow(quotient, a.value)};
}
inline Tracked& operator+=(Tracked& a, const Tracked& b) { return a = a + b; }
inline Tracked& operator-=(Tracked& a, const Tracked& b) { return a = a - b; }

inline Tracked sqrt(const Tracked& a) {  // of what is >= 0
  const long double root = std::sqrt(std::max(a.value, 0.0L));
  const long double all = std::sqrt(a.error + std::max(-a.value, 0.0L));
  return {root, root > 0 ? std::min(all, a.error / root) : all};
}
inline Tracked exp(const Tracked& a) {
  const long double value = std::exp(a.value);
  return {value, value * std::expm1(a.error) + std::numeric_limits<long double>::min(), 4};
}
inline Tracked expm1(const Tracked& a) {
  const long double value = std::expm1(a.value);
  return {value, (value + 1) * std::expm1(a.error), 4};
}
inline Tracked log(const Tracked& a) { return {std::log(a.value), a.error / (a.value - a.error), 4}; }
inline Tracked log1p(const Tracked& a) { return {std::log1p(a.value), a.error / (1 + a.value - a.error), 4}; }
inline Tracked max(const Tracked& a, const Tracked& b) {
  return {std::max(a.value, b.value), std::max(a.error, b.error), 0};
}
inline Tracked min(const Tracked& a, const Tracked& b) {
  return {std::min(a.value, b.value), std::max(a.error, b.error), 0};
}
inline Tracked abs(const Tracked& a) { return {std::fabs(a.value), a.error, 0}; }

// As a kernel reports it: the value rounded to double, its error with that rounding, upward.
inline Reported reported(std::string output, std::size_t point, const Tracked& number) {
  const double value = static_cast<double>(number.value);
  const long double error = (number.error + std::fabs(number.value - value)) * Tracked::slack;
  if (!std::isfinite(value) || !(error < std::numeric_limits<double>::max()))
    return {std::move(output), point, false, std::numeric_limits<double>::quiet_NaN(),
            std::numeric_limits<double>::infinity()};
  const double rounded = static_cast<double>(error);
  const double above = rounded >= error ? rounded : std::nextafter(rounded, std::numeric_limits<double>::infinity());
  return {std::move(output), point, false, value, above};
}
inline Reported reported_count(std::string output, std::size_t point, std::size_t least, std::size_t most) {
  return {std::move(output), point, true, 0, 0, least, most};
}

}  // namespace attncert
