// Interval: a closed set of reals that contains the exact value. Every operation rounds outward, so an enclosure of
// the inputs gives an enclosure of the result. Which engine serves it is private to interval.cpp: MPFI, whose
// functions that are avoided stand in docs/reference.md.
// Domain errors are not errors: sqrt and log of an interval that reaches below 0, and division by one that contains 0,
// give the whole line, which decides nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reference/sizes.hpp"
#include "reference/truth.hpp"
#include "src/core/rational.hpp"

namespace attncert {

struct Precision {
  int bits = 64;  // of each end point's significand
  Precision doubled() const { return {2 * bits}; }
  auto operator<=>(const Precision&) const = default;
};

class Interval {
 public:
  // The point itself, exactly when the value fits `precision` bits, else the two neighbours around it. Ends may be
  // infinite only as results, never as arguments: asserts that the value is finite.
  Interval(double value, Precision precision);
  Interval(const Rational& value, Precision precision);
  static Interval whole_line(Precision precision);
  static Interval between(const Interval& low,
                          const Interval& high);  // [lower(low), upper(high)]; asserts they are ordered

  Interval(const Interval&);
  Interval(Interval&&) noexcept;
  Interval& operator=(const Interval&);
  Interval& operator=(Interval&&) noexcept;
  ~Interval();

  Precision precision() const;
  Interval rounded(Precision precision) const;  // the same set at another precision, rounded outward

  // Ends as doubles, rounded outward: lower() <= every element <= upper().
  double lower() const;
  double upper() const;
  double midpoint() const;        // near the middle; for display and screening
  double width() const;           // upper bound of (upper - lower)
  double relative_width() const;  // width / smallest magnitude; +inf when 0 is inside, 0 for the point 0
  bool contains(const Rational& value) const;
  bool is_point() const;         // one real number
  bool is_finite() const;        // both ends are finite
  Rational lower_exact() const;  // the end itself; asserts is_finite()
  Rational upper_exact() const;
  std::string text(int digits = 18) const;  // "[lo, hi]" in decimal, rounded outward

  // In place; the result has the larger precision of the two. Aliasing (x += x) is allowed everywhere.
  Interval& operator+=(const Interval&);
  Interval& operator-=(const Interval&);
  Interval& operator*=(const Interval&);
  Interval& operator/=(const Interval&);

  struct Representation;  // the engine's number
  Representation& engine() { return *state_; }
  const Representation& engine() const { return *state_; }

 private:
  explicit Interval(std::unique_ptr<Representation> state);
  std::unique_ptr<Representation> state_;
  friend struct IntervalAccess;
};

Interval operator+(Interval a, const Interval& b);
Interval operator-(Interval a, const Interval& b);
Interval operator*(Interval a, const Interval& b);
Interval operator/(Interval a, const Interval& b);
Interval operator-(const Interval& a);

Interval exp(const Interval& a);
Interval expm1(const Interval& a);
void each_exp(std::span<Interval> items);  // in place
void each_expm1(std::span<Interval> items);
Interval log(const Interval& a);
Interval log1p(const Interval& a);
Interval sqrt(const Interval& a);
Interval square(const Interval& a);  // tight: [-1,2]^2 = [0,4]
Interval abs(const Interval& a);
Interval max(const Interval& a, const Interval& b);
Interval min(const Interval& a, const Interval& b);
Interval middle(const Interval& a);                   // a point near the middle, no enclosure of a; for guesses
Interval hull(const Interval& a, const Interval& b);  // the smallest interval that contains both
// a^(p/q) for a >= 0 (part below 0: whole line), q >= 1; 0^positive = 0.
Interval pow(const Interval& a, long p, unsigned long q);

// Sums that keep one accumulator: the same enclosures as the operators give, without their temporaries.
Interval sum(std::span<const Interval> items, Precision precision);
Interval dot(std::span<const Interval> a, std::span<const Interval> b, Precision precision);
// Doubles are points; asserts that they are finite.
Interval sum(std::span<const double> items, Precision precision);
Interval dot(std::span<const Interval> a, std::span<const double> b, Precision precision);
Interval dot(std::span<const double> a, std::span<const double> b, Precision precision);
Sizes<Interval> sizes(std::span<const double> a, std::span<const double> b, Precision precision);
// The same of a and each of the rows, which have its length.
std::vector<Interval> dots(std::span<const double> a, std::span<const double* const> rows, Precision precision);
std::vector<Sizes<Interval>> sizes(std::span<const double> a, std::span<const double* const> rows, Precision precision);
// Of every column c of rows that a weight each has: sum weights_k rows_k[c], and sum weights_k |rows_k[c] - to_c|.
std::vector<Interval> weighted_sums(std::span<const Interval> weights, std::span<const double* const> rows,
                                    std::size_t columns, Precision precision);
std::vector<Interval> weighted_distances(std::span<const Interval> weights, std::span<const double* const> rows,
                                         std::span<const Interval> to, Precision precision);
ColumnSums<Interval> column_sums(std::span<const Interval> first, std::span<const Interval> second,
                                 std::span<const double* const> rows, std::span<const Interval> to,
                                 Precision precision);
// totals_k += a b_k; a is none of the totals, which have one precision.
void add_multiples(std::span<Interval> totals, const Interval& a, std::span<const double> b);
Interval sum_of_squares(std::span<const Interval> items, Precision precision);
Interval squared_distance(std::span<const Interval> a, std::span<const Interval> b,
                          Precision precision);  // sum (a-b)^2
// sum (scale * a_k - b_k)^2 : ||a_i x_i - s||^2 in one pass
Interval squared_distance_scaled(const Interval& scale, std::span<const Interval> a, std::span<const Interval> b,
                                 Precision precision);

std::vector<Interval> enclosures(std::span<const Rational> values, Precision precision);

// Frees what the engine keeps per thread; call it at the end of every thread that computed.
void release_thread_caches() noexcept;

// Certain comparisons: yes when it holds for every pair of elements, no when for none.
Truth less(const Interval& a, const Interval& b);
Truth less_equal(const Interval& a, const Interval& b);
Truth overlaps(const Interval& a, const Interval& b);  // never unknown

}  // namespace attncert
