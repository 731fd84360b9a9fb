// Sums of rows of intervals. One accumulator and one term, allocated once: 1024 tokens of 128 coordinates are 131,072
// terms, and an Interval of its own per term would cost three allocations each. The ends are rounded by MPFR directly:
// mpfi_sub and mpfi_sqr allocate.
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

}  // namespace

Interval sum(std::span<const Interval> items, Precision precision) {
  Interval total = IntervalAccess::zero(working_bits(precision));
  for (const Interval& item : items) mpfi_add(total.engine().pair(), total.engine().pair(), item.engine().pair());
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
