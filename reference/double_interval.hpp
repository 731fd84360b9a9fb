// DoubleInterval: an interval whose ends are doubles, for what takes millions of operations. Every operation rounds
// outward, as Interval's do, and is a hundred times as fast; what it leaves undecided, Interval decides. It asks for
// IEEE arithmetic to nearest and holds where subnormal results are flushed too. docs/reference.md has the proofs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "reference/sizes.hpp"
#include "reference/truth.hpp"

namespace attncert {

// Its only one. Code that serves both kinds of interval names theirs PrecisionOf<Number>.
struct DoublePrecision {};

template <class Number>
using PrecisionOf = decltype(std::declval<const Number&>().precision());

class DoubleInterval {
 public:
  DoubleInterval(double value, DoublePrecision) : low_(value), high_(value) {}  // the point
  static DoubleInterval whole_line(DoublePrecision = {}) { return {-infinity, infinity}; }
  // Asserts nothing: where the ends are not ordered, or one is no number, it is the whole line.
  static DoubleInterval between(double low, double high) {
    return low <= high ? DoubleInterval(low, high) : whole_line();
  }

  DoublePrecision precision() const { return {}; }
  double lower() const { return low_; }
  double upper() const { return high_; }
  double midpoint() const { return low_ / 2 + high_ / 2; }  // near the middle; for display

  // Bounds of the exact sum, product and quotient: a result of 2^-1022 or more errs by at most 2^-53 of it, a smaller
  // one by less than 2^-1022.
  static double up(double rounded) { return rounded + (std::abs(rounded) * epsilon + smallest); }
  static double down(double rounded) { return rounded - (std::abs(rounded) * epsilon + smallest); }

  DoubleInterval& operator+=(const DoubleInterval& b) {
    return *this = between(sum<down>(low_, b.low_), sum<up>(high_, b.high_));
  }
  DoubleInterval& operator-=(const DoubleInterval& b) { return *this += -b; }
  DoubleInterval operator-() const { return {-high_, -low_}; }
  DoubleInterval& operator*=(const DoubleInterval& b) {
    if (low_ < 0 || b.low_ < 0) return *this = any_product(*this, b);
    // No product of what is not negative is below 0.
    return *this = between(std::max(0.0, product<down>(low_, b.low_)), product<up>(high_, b.high_));
  }
  DoubleInterval& operator/=(const DoubleInterval& b) {
    if (!(b.low_ > 0)) return *this = b.high_ < 0 ? -*this / -b : whole_line();
    const double low = low_ < 0 ? low_ / b.low_ : low_ / b.high_, high = high_ < 0 ? high_ / b.high_ : high_ / b.low_;
    return *this = between(low_ >= 0 ? std::max(0.0, down(low)) : down(low), high_ == 0 ? 0 : up(high));
  }
  friend DoubleInterval operator+(DoubleInterval a, const DoubleInterval& b) { return a += b; }
  friend DoubleInterval operator-(DoubleInterval a, const DoubleInterval& b) { return a -= b; }
  friend DoubleInterval operator*(DoubleInterval a, const DoubleInterval& b) { return a *= b; }
  friend DoubleInterval operator/(DoubleInterval a, const DoubleInterval& b) { return a /= b; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double smallest = std::numeric_limits<double>::min();  // 2^-1022

  DoubleInterval(double low, double high) : low_(low), high_(high) {}

  // What is exact stays so: 0 + b, and 0 b.
  template <double (*kOutward)(double)>
  static double sum(double a, double b) {
    return a == 0 ? b : b == 0 ? a : kOutward(a + b);
  }
  template <double (*kOutward)(double)>
  static double product(double a, double b) {
    return a == 0 || b == 0 ? 0 : kOutward(a * b);
  }
  static DoubleInterval any_product(const DoubleInterval& a, const DoubleInterval& b);

  double low_, high_;
};

DoubleInterval exp(const DoubleInterval& a);
DoubleInterval expm1(const DoubleInterval& a);
DoubleInterval log(const DoubleInterval& a);
DoubleInterval log1p(const DoubleInterval& a);

inline DoubleInterval max(const DoubleInterval& a, const DoubleInterval& b) {
  return DoubleInterval::between(std::max(a.lower(), b.lower()), std::max(a.upper(), b.upper()));
}
inline DoubleInterval min(const DoubleInterval& a, const DoubleInterval& b) {
  return DoubleInterval::between(std::min(a.lower(), b.lower()), std::min(a.upper(), b.upper()));
}
inline DoubleInterval hull(const DoubleInterval& a, const DoubleInterval& b) {
  return DoubleInterval::between(std::min(a.lower(), b.lower()), std::max(a.upper(), b.upper()));
}
inline DoubleInterval abs(const DoubleInterval& a) {
  if (a.lower() >= 0) return a;
  return a.upper() <= 0 ? -a : DoubleInterval::between(0, std::max(-a.lower(), a.upper()));
}
inline DoubleInterval square(const DoubleInterval& a) { return abs(a) * abs(a); }

// Certain comparisons, as Interval's.
inline Truth less_equal(const DoubleInterval& a, const DoubleInterval& b) {
  return a.upper() <= b.lower() ? Truth::yes : a.lower() > b.upper() ? Truth::no : Truth::unknown;
}

// Of doubles, which are points and finite.
DoubleInterval sum(std::span<const double> items, DoublePrecision);
DoubleInterval dot(std::span<const double> a, std::span<const double> b, DoublePrecision);
Sizes<DoubleInterval> sizes(std::span<const double> a, std::span<const double> b, DoublePrecision);
// totals_k += a b_k; a is none of the totals.
void add_multiples(std::span<DoubleInterval> totals, const DoubleInterval& a, std::span<const double> b);
// As Interval's (reference/interval.hpp).
std::vector<DoubleInterval> weighted_sums(std::span<const DoubleInterval> weights, std::span<const double* const> rows,
                                          std::size_t size, DoublePrecision);
std::vector<DoubleInterval> weighted_distances(std::span<const DoubleInterval> weights,
                                               std::span<const double* const> rows, std::span<const DoubleInterval> to,
                                               DoublePrecision);

}  // namespace attncert
