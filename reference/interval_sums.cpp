// Sums of rows of intervals. One accumulator and one term, allocated once: 1024 tokens of 128 coordinates are 131,072
// terms, and an Interval of its own per term would cost three allocations each. The ends are rounded by MPFR directly:
// mpfi_sub and mpfi_sqr allocate, and mpfi_mul_d makes an interval of the double first.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/interval_engine.hpp"

namespace attncert {
namespace {

void subtract(Representation& result, const Representation& a, const Representation& b) {  // result is neither a nor b
  mpfr_sub(result.left(), a.left(), b.right(), MPFR_RNDD);
  mpfr_sub(result.right(), a.right(), b.left(), MPFR_RNDU);
}

void add_square(Representation& total, Representation& scratch, const Representation& a) {  // scratch is not a
  const bool right_larger = mpfr_cmpabs(a.right(), a.left()) > 0;
  const mpfr_srcptr large = right_larger ? a.right() : a.left(), small = right_larger ? a.left() : a.right();
  mpfr_sqr(scratch.right(), large, MPFR_RNDU);
  mpfr_add(total.right(), total.right(), scratch.right(), MPFR_RNDU);
  if (mpfr_sgn(a.left()) <= 0 && mpfr_sgn(a.right()) >= 0) return;  // the smallest square is 0
  mpfr_sqr(scratch.left(), small, MPFR_RNDD);
  mpfr_add(total.left(), total.left(), scratch.left(), MPFR_RNDD);
}

mpfr_prec_t working_bits(Precision precision) {
  ATTNCERT_ASSERT(precision.bits >= 2);
  return precision.bits;
}

// A double as MPFR wants it, on the stack, with the bits of what it meets where they hold it: MPFR has shorter ways for
// operations whose numbers all have the same, and the judge of attention runs 12% fewer instructions (callgrind).
class Point {
 public:
  Point(double value, mpfr_prec_t bits) {
    ATTNCERT_ASSERT(std::isfinite(value));
    if (bits < digits || bits > most) bits = digits;
    mpfr_custom_init(limbs_, bits);
    mpfr_custom_init_set(number_, MPFR_ZERO_KIND, 0, bits, limbs_);
    mpfr_set_d(number_, value, MPFR_RNDN);
  }
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;
  mpfr_srcptr number() const { return number_; }
  int sign() const { return mpfr_sgn(number_); }

 private:
  static constexpr mpfr_prec_t digits = std::numeric_limits<double>::digits, most = 256;
  mpfr_t number_;
  mp_limb_t limbs_[most / GMP_NUMB_BITS];
};

// total += a b. The term has the total's bits and is neither.
void add_multiple(Representation& total, Representation& term, const Representation& a, const Point& b) {
  if (b.sign() == 0) return;  // 0 times an infinite end is 0
  const bool negative = b.sign() < 0;
  mpfr_mul(term.left(), negative ? a.right() : a.left(), b.number(), MPFR_RNDD);
  mpfr_mul(term.right(), negative ? a.left() : a.right(), b.number(), MPFR_RNDU);
  mpfr_add(total.left(), total.left(), term.left(), MPFR_RNDD);
  mpfr_add(total.right(), total.right(), term.right(), MPFR_RNDU);
}

void take_magnitude(Representation& a) {
  if (mpfr_sgn(a.left()) >= 0) return;
  if (mpfr_sgn(a.right()) <= 0) {
    mpfr_swap(a.left(), a.right());
    mpfr_neg(a.left(), a.left(), MPFR_RNDD);
    mpfr_neg(a.right(), a.right(), MPFR_RNDU);
    return;
  }
  if (mpfr_cmpabs(a.left(), a.right()) > 0) mpfr_neg(a.right(), a.left(), MPFR_RNDU);
  mpfr_set_zero(a.left(), 1);
}

}  // namespace

Interval sum(std::span<const Interval> items, Precision precision) {
  Interval total = IntervalAccess::zero(working_bits(precision));
  for (const Interval& item : items) mpfi_add(total.engine().pair(), total.engine().pair(), item.engine().pair());
  return total;
}

Interval sum(std::span<const double> items, Precision precision) {
  Interval total = IntervalAccess::zero(working_bits(precision));
  for (const double item : items) {
    const Point point(item, total.engine().bits());
    mpfr_add(total.engine().left(), total.engine().left(), point.number(), MPFR_RNDD);
    mpfr_add(total.engine().right(), total.engine().right(), point.number(), MPFR_RNDU);
  }
  return total;
}

Interval dot(std::span<const Interval> a, std::span<const Interval> b, Precision precision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  Interval total = IntervalAccess::zero(working_bits(precision));
  Representation term(working_bits(precision));
  for (std::size_t k = 0; k < a.size(); ++k) {
    mpfi_mul(term.pair(), a[k].engine().pair(), b[k].engine().pair());
    mpfi_add(total.engine().pair(), total.engine().pair(), term.pair());
  }
  return total;
}

Interval dot(std::span<const Interval> a, std::span<const double> b, Precision precision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  Interval total = IntervalAccess::zero(working_bits(precision));
  Representation term(working_bits(precision));
  for (std::size_t k = 0; k < a.size(); ++k)
    add_multiple(total.engine(), term, a[k].engine(), Point(b[k], term.bits()));
  return total;
}

Interval dot(std::span<const double> a, std::span<const double> b, Precision precision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  Interval total = IntervalAccess::zero(working_bits(precision));
  Representation product(std::max<mpfr_prec_t>(2 * std::numeric_limits<double>::digits, precision.bits));  // exact
  for (std::size_t k = 0; k < a.size(); ++k) {
    mpfr_mul(product.left(), Point(a[k], product.bits()).number(), Point(b[k], product.bits()).number(), MPFR_RNDN);
    mpfr_add(total.engine().left(), total.engine().left(), product.left(), MPFR_RNDD);
    mpfr_add(total.engine().right(), total.engine().right(), product.left(), MPFR_RNDU);
  }
  return total;
}

Sizes<Interval> sizes(std::span<const double> a, std::span<const double> b, Precision precision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  std::vector<double> first, second;
  std::size_t terms = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    first.push_back(std::abs(a[k]));
    second.push_back(std::abs(b[k]));
    terms += a[k] != 0 && b[k] != 0;
  }
  return {dot(first, second, precision), sum(second, precision), terms};
}

std::vector<Interval> dots(std::span<const double> a, std::span<const double* const> rows, Precision precision) {
  std::vector<Interval> result;
  for (const double* const row : rows) result.push_back(dot(a, {row, a.size()}, precision));
  return result;
}

std::vector<Sizes<Interval>> sizes(std::span<const double> a, std::span<const double* const> rows,
                                   Precision precision) {
  std::vector<Sizes<Interval>> result;
  for (const double* const row : rows) result.push_back(sizes(a, std::span(row, a.size()), precision));
  return result;
}

std::vector<Interval> weighted_sums(std::span<const Interval> weights, std::span<const double* const> rows,
                                    std::size_t columns, Precision precision) {
  ATTNCERT_ASSERT(weights.size() == rows.size());
  std::vector<Interval> totals(columns, Interval(0.0, precision));
  for (std::size_t k = 0; k < rows.size(); ++k) add_multiples(totals, weights[k], std::span(rows[k], columns));
  return totals;
}

std::vector<Interval> weighted_distances(std::span<const Interval> weights, std::span<const double* const> rows,
                                         std::span<const Interval> to, Precision precision) {
  ATTNCERT_ASSERT(weights.size() == rows.size());
  std::vector<Interval> totals(to.size(), Interval(0.0, precision));
  Representation distance(working_bits(precision));
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t c = 0; c < to.size(); ++c) {
      const Point point(rows[k][c], distance.bits());
      mpfr_sub(distance.left(), point.number(), to[c].engine().right(), MPFR_RNDD);
      mpfr_sub(distance.right(), point.number(), to[c].engine().left(), MPFR_RNDU);
      take_magnitude(distance);
      mpfi_mul(distance.pair(), distance.pair(), weights[k].engine().pair());
      mpfi_add(totals[c].engine().pair(), totals[c].engine().pair(), distance.pair());
    }
  return totals;
}

ColumnSums<Interval> column_sums(std::span<const Interval> first, std::span<const Interval> second,
                                 std::span<const double* const> rows, std::span<const Interval> to,
                                 Precision precision) {
  const std::vector<Interval> zeros(to.size(), Interval(0.0, precision));
  Extents extents(to.size());
  for (const double* const row : rows)
    for (std::size_t c = 0; c < to.size(); ++c) {
      extents.lowest[c] = std::min(extents.lowest[c], row[c]);
      extents.highest[c] = std::max(extents.highest[c], row[c]);
      extents.terms[c] += row[c] != 0;
      extents.magnitudes[c] += std::abs(row[c]);
    }
  return {weighted_distances(first, rows, to, precision), weighted_distances(second, rows, zeros, precision),
          std::move(extents)};
}

void add_multiples(std::span<Interval> totals, const Interval& a, std::span<const double> b) {
  ATTNCERT_ASSERT(totals.size() == b.size());
  if (totals.empty()) return;
  Representation term(totals[0].engine().bits());
  for (std::size_t k = 0; k < b.size(); ++k) {
    ATTNCERT_ASSERT(totals[k].engine().bits() == term.bits());
    add_multiple(totals[k].engine(), term, a.engine(), Point(b[k], term.bits()));
  }
}

Interval sum_of_squares(std::span<const Interval> items, Precision precision) {
  Interval total = IntervalAccess::zero(working_bits(precision));
  Representation scratch(working_bits(precision));
  for (const Interval& item : items) add_square(total.engine(), scratch, item.engine());
  return total;
}

Interval squared_distance(std::span<const Interval> a, std::span<const Interval> b, Precision precision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  Interval total = IntervalAccess::zero(working_bits(precision));
  Representation difference(working_bits(precision)), scratch(working_bits(precision));
  for (std::size_t k = 0; k < a.size(); ++k) {
    subtract(difference, a[k].engine(), b[k].engine());
    add_square(total.engine(), scratch, difference);
  }
  return total;
}

Interval squared_distance_scaled(const Interval& scale, std::span<const Interval> a, std::span<const Interval> b,
                                 Precision precision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  Interval total = IntervalAccess::zero(working_bits(precision));
  Representation product(working_bits(precision)), difference(working_bits(precision));
  for (std::size_t k = 0; k < a.size(); ++k) {
    mpfi_mul(product.pair(), scale.engine().pair(), a[k].engine().pair());
    subtract(difference, product, b[k].engine());
    add_square(total.engine(), product, difference);
  }
  return total;
}

}  // namespace attncert
