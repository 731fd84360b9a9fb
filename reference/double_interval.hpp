// DoubleInterval: an interval whose ends are doubles, for what takes millions of operations. Every operation rounds
// outward, as Interval's do, and is a hundred times as fast; what it leaves undecided, Interval decides. It asks for
// IEEE arithmetic to nearest and holds where subnormal results are flushed too, not where inputs are.
// docs/reference.md has the proofs.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
  DoubleInterval(double value, DoublePrecision) : ends_{-value, value} {}  // the point; no NaN
  static DoubleInterval whole_line(DoublePrecision = {}) { return DoubleInterval(Ends{infinity, infinity}); }
  // Asserts nothing: where the ends are not ordered, or one is no number, it is the whole line.
  static DoubleInterval between(double low, double high) { return ordered(Ends{-low, high}); }

  DoublePrecision precision() const { return {}; }
  double lower() const { return -ends_[0]; }
  double upper() const { return ends_[1]; }
  double midpoint() const { return lower() / 2 + upper() / 2; }  // near the middle; for display

  // Bounds of the exact sum, product and quotient: a result of 2^-1022 or more errs by at most 2^-53 of it, a smaller
  // one by less than 2^-1022.
  static double up(double rounded) { return rounded + (std::abs(rounded) * epsilon + smallest); }
  static double down(double rounded) { return rounded - (std::abs(rounded) * epsilon + smallest); }

  // What is exact stays so: 0 + b, 0 b, also where b is infinite, and 0 / b.
  DoubleInterval& operator+=(const DoubleInterval& b) {
    const Ends rounded = ends_ + b.ends_;
    return *this = ordered(rounded + unless_zero(ends_, b.ends_, outward(rounded)));
  }
  DoubleInterval& operator-=(const DoubleInterval& b) { return *this += -b; }
  DoubleInterval operator-() const { return DoubleInterval(Ends{ends_[1], ends_[0]}); }
  DoubleInterval& operator*=(const DoubleInterval& b) {
    if (lower() < 0 || b.lower() < 0) {
      if (lower() == upper() && lower() > 0)
        return *this = ordered(unless_zero(b.ends_, b.ends_, up(upper() * b.ends_)));
      return *this = any_product(*this, b);
    }
    const Ends product = ends_ * b.ends_;  // of lower ends, both stored negated, and of upper ones
    return *this = not_negative(unless_zero(ends_, b.ends_, up(Ends{-product[0], product[1]})));
  }
  DoubleInterval& operator/=(const DoubleInterval& b) {
    if (!(b.lower() > 0)) return *this = b.upper() < 0 ? -*this / -b : whole_line();
    if (lower() >= 0) {
      return *this = not_negative(unless_zero(ends_, ends_, up(ends_ / Ends{b.upper(), b.lower()})));
    }
    const double high = upper() < 0 ? upper() / b.upper() : upper() / b.lower();
    return *this = between(down(lower() / b.lower()), upper() == 0 ? 0 : up(high));
  }
  friend DoubleInterval operator+(DoubleInterval a, const DoubleInterval& b) { return a += b; }
  friend DoubleInterval operator-(DoubleInterval a, const DoubleInterval& b) { return a -= b; }
  friend DoubleInterval operator*(DoubleInterval a, const DoubleInterval& b) { return a *= b; }
  friend DoubleInterval operator/(DoubleInterval a, const DoubleInterval& b) { return a /= b; }

  // Their ends are ordered because the operands' are.
  friend DoubleInterval max(const DoubleInterval& a, const DoubleInterval& b) {
    return DoubleInterval(Ends{std::min(a.ends_[0], b.ends_[0]), std::max(a.ends_[1], b.ends_[1])});
  }
  friend DoubleInterval min(const DoubleInterval& a, const DoubleInterval& b) {
    return DoubleInterval(Ends{std::max(a.ends_[0], b.ends_[0]), std::min(a.ends_[1], b.ends_[1])});
  }
  friend DoubleInterval hull(const DoubleInterval& a, const DoubleInterval& b) {
    return DoubleInterval(Ends{std::max(a.ends_[0], b.ends_[0]), std::max(a.ends_[1], b.ends_[1])});
  }
  // Without a branch: signs of scores cannot be foretold.
  friend DoubleInterval abs(const DoubleInterval& a) {
    const double negated = a.ends_[0], above = a.ends_[1];  // the least magnitude is max(0, -negated, -above)
    return DoubleInterval(Ends{std::min(0.0, std::min(negated, above)), std::max(negated, above)});
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double smallest = std::numeric_limits<double>::min();  // 2^-1022

  // Both ends in one vector: the lower one negated, so that outward is upward for both.
  using Ends = double __attribute__((vector_size(2 * sizeof(double))));
  using Mask = decltype(Ends{} == Ends{});

  explicit DoubleInterval(Ends ends) : ends_(ends) {}

  // What `up` adds.
  static Ends outward(Ends rounded) {
    const Ends size = std::bit_cast<Ends>(std::bit_cast<Mask>(rounded) & std::numeric_limits<std::int64_t>::max());
    return size * epsilon + smallest;
  }
  static Ends up(Ends rounded) { return rounded + outward(rounded); }
  // 0 in the lanes in which a or b is 0.
  static Ends unless_zero(Ends a, Ends b, Ends value) {
    const Ends of_b = b == Ends{} ? Ends{} : value;
    return a == Ends{} ? Ends{} : of_b;
  }
  static DoubleInterval ordered(Ends ends) { return -ends[0] <= ends[1] ? DoubleInterval(ends) : whole_line(); }
  // Of products and quotients of what is not negative, which are not below 0.
  static DoubleInterval not_negative(Ends ends) { return ordered(Ends{std::min(0.0, ends[0]), ends[1]}); }
  template <double (*kOutward)(double)>
  static double product(double a, double b) {
    return a == 0 || b == 0 ? 0 : kOutward(a * b);
  }
  static DoubleInterval any_product(const DoubleInterval& a, const DoubleInterval& b);

  Ends ends_;
};

// In place: of many side by side a third of the time of one after the other.
void each_exp(std::span<DoubleInterval> items);
void each_expm1(std::span<DoubleInterval> items);
inline DoubleInterval exp(DoubleInterval a) { return each_exp({&a, 1}), a; }
inline DoubleInterval expm1(DoubleInterval a) { return each_expm1({&a, 1}), a; }
DoubleInterval log(const DoubleInterval& a);
DoubleInterval log1p(const DoubleInterval& a);

inline DoubleInterval square(const DoubleInterval& a) { return abs(a) * abs(a); }

// Certain comparisons, as Interval's.
inline Truth less_equal(const DoubleInterval& a, const DoubleInterval& b) {
  return a.upper() <= b.lower() ? Truth::yes : a.lower() > b.upper() ? Truth::no : Truth::unknown;
}

DoubleInterval sum(std::span<const DoubleInterval> items, DoublePrecision);
// Of doubles, which are points and finite.
DoubleInterval sum(std::span<const double> items, DoublePrecision);
DoubleInterval dot(std::span<const double> a, std::span<const double> b, DoublePrecision);
Sizes<DoubleInterval> sizes(std::span<const double> a, std::span<const double> b, DoublePrecision);
std::vector<DoubleInterval> dots(std::span<const double> a, std::span<const double* const> rows, DoublePrecision);
std::vector<Sizes<DoubleInterval>> sizes(std::span<const double> a, std::span<const double* const> rows,
                                         DoublePrecision);
// totals_k += a b_k; a is none of the totals.
void add_multiples(std::span<DoubleInterval> totals, const DoubleInterval& a, std::span<const double> b);
// As Interval's (reference/interval.hpp).
std::vector<DoubleInterval> weighted_sums(std::span<const DoubleInterval> weights, std::span<const double* const> rows,
                                          std::size_t size, DoublePrecision);
std::vector<DoubleInterval> weighted_distances(std::span<const DoubleInterval> weights,
                                               std::span<const double* const> rows, std::span<const DoubleInterval> to,
                                               DoublePrecision);
ColumnSums<DoubleInterval> column_sums(std::span<const DoubleInterval> first, std::span<const DoubleInterval> second,
                                       std::span<const double* const> rows, std::span<const DoubleInterval> to,
                                       DoublePrecision);

}  // namespace attncert
