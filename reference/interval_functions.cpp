// Elementary functions of Interval. Each is monotone on the pieces it is cut into, so the ends decide; MPFR rounds an
// end correctly in the direction asked for.
#include <bit>
#include <numeric>

#include "reference/interval_engine.hpp"

namespace attncert {
namespace {

// The power multiplies the root's relative error by |p|; with this many bits beyond those of p what is left of it is
// below 2^-32 units of the result.
constexpr mpfr_prec_t root_guard_bits = 32;

Interval apply(int (*function)(mpfi_ptr, mpfi_srcptr), const Interval& a) {
  Interval result = IntervalAccess::zero(a.engine().bits());
  function(result.engine().pair(), a.engine().pair());
  return result;
}

using Choice = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
Interval end_by_end(Choice left, Choice right, const Interval& a, const Interval& b) {
  Interval result = IntervalAccess::zero(std::max(a.engine().bits(), b.engine().bits()));
  left(result.engine().left(), a.engine().left(), b.engine().left(), MPFR_RNDD);
  right(result.engine().right(), a.engine().right(), b.engine().right(), MPFR_RNDU);
  return result;
}

// x^(p/q) of one end x >= 0, p != 0, q in lowest terms with p.
void power_of_end(mpfr_ptr result, mpfr_srcptr x, long p, unsigned long q, mpfr_rnd_t rounding) {
  if (q == 1) {
    mpfr_pow_si(result, x, p, rounding);
    return;
  }
  const mpfr_rnd_t opposite = rounding == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
  const auto size = static_cast<unsigned long>(p < 0 ? -(p + 1) : p);
  mpfr_t root;
  mpfr_init2(root, mpfr_get_prec(result) + root_guard_bits + static_cast<mpfr_prec_t>(std::bit_width(size)));
  mpfr_rootn_ui(root, x, q, p > 0 ? rounding : opposite);  // a negative power falls in the root
  mpfr_pow_si(result, root, p, rounding);
  mpfr_clear(root);
}

}  // namespace

Interval operator-(const Interval& a) { return apply(mpfi_neg, a); }
// A point or a slim set [a, b] costs one exponential: with w = b - a, e^b = e^a e^w <= e^a (1 + w + w^2), and while w^2
// is below a unit in the last place that is no wider than e^b rounded, by three such units and 2^-61 of the width.
Interval exp(const Interval& a) {
  const mpfr_srcptr from = a.engine().left(), to = a.engine().right();
  if (!is_bounded(a.engine())) return apply(mpfi_exp, a);
  MPFR_DECL_INIT(width, 64);
  mpfr_sub(width, to, from, MPFR_RNDU);
  const bool point = mpfr_zero_p(width);
  if (!point && mpfr_get_exp(width) > -a.engine().bits() / 2) return apply(mpfi_exp, a);
  Interval result = IntervalAccess::zero(a.engine().bits());
  const mpfr_ptr low = result.engine().left(), high = result.engine().right();
  const bool exact = mpfr_exp(low, from, MPFR_RNDD) == 0;
  mpfr_set(high, low, MPFR_RNDU);
  if (!exact) mpfr_nextabove(high);  // e^a rounded upward
  if (point) return result;
  MPFR_DECL_INIT(more, 64);
  mpfr_sqr(more, width, MPFR_RNDU);
  mpfr_add(more, more, width, MPFR_RNDU);
  mpfr_mul(more, more, high, MPFR_RNDU);
  mpfr_add(high, high, more, MPFR_RNDU);
  return result;
}
Interval expm1(const Interval& a) { return apply(mpfi_expm1, a); }

void each_exp(std::span<Interval> items) {
  for (Interval& item : items) item = exp(item);
}
void each_expm1(std::span<Interval> items) {
  for (Interval& item : items) item = expm1(item);
}

Interval log(const Interval& a) {
  // [0, 0] too: its logarithm is no real number at all.
  if (mpfr_sgn(a.engine().left()) < 0 || mpfr_zero_p(a.engine().right())) return Interval::whole_line(a.precision());
  return apply(mpfi_log, a);
}

Interval log1p(const Interval& a) {
  if (mpfr_cmp_si(a.engine().left(), -1) < 0 || mpfr_cmp_si(a.engine().right(), -1) == 0)
    return Interval::whole_line(a.precision());
  return apply(mpfi_log1p, a);
}

Interval sqrt(const Interval& a) {
  if (mpfr_sgn(a.engine().left()) < 0) return Interval::whole_line(a.precision());
  return apply(mpfi_sqrt, a);
}

Interval square(const Interval& a) { return apply(mpfi_sqr, a); }
Interval abs(const Interval& a) { return apply(mpfi_abs, a); }

Interval max(const Interval& a, const Interval& b) { return end_by_end(mpfr_max, mpfr_max, a, b); }
Interval min(const Interval& a, const Interval& b) { return end_by_end(mpfr_min, mpfr_min, a, b); }
Interval hull(const Interval& a, const Interval& b) { return end_by_end(mpfr_min, mpfr_max, a, b); }

Interval middle(const Interval& a) {
  Interval result = IntervalAccess::zero(a.engine().bits());
  if (!is_bounded(a.engine())) return result;
  mpfr_add(result.engine().left(), a.engine().left(), a.engine().right(), MPFR_RNDN);
  mpfr_div_2ui(result.engine().left(), result.engine().left(), 1, MPFR_RNDN);
  if (mpfr_inf_p(result.engine().left())) mpfr_set(result.engine().left(), a.engine().left(), MPFR_RNDN);  // overflow
  mpfr_set(result.engine().right(), result.engine().left(), MPFR_RNDN);
  return result;
}

Interval pow(const Interval& a, long p, unsigned long q) {
  ATTNCERT_ASSERT(q >= 1);
  if (p == 0) return Interval(1.0, a.precision());
  const int sign = mpfr_sgn(a.engine().left());
  if (sign < 0 || (sign == 0 && p < 0)) return Interval::whole_line(a.precision());
  const auto magnitude = p < 0 ? 0ul - static_cast<unsigned long>(p) : static_cast<unsigned long>(p);
  const unsigned long common = std::gcd(magnitude, q);
  const auto reduced = static_cast<long>(magnitude / common);
  const long power = p < 0 ? -reduced : reduced;
  Interval result = IntervalAccess::zero(a.engine().bits());
  const bool rising = p > 0;
  power_of_end(result.engine().left(), rising ? a.engine().left() : a.engine().right(), power, q / common, MPFR_RNDD);
  power_of_end(result.engine().right(), rising ? a.engine().right() : a.engine().left(), power, q / common, MPFR_RNDU);
  return result;
}

Truth less(const Interval& a, const Interval& b) {
  if (mpfr_less_p(a.engine().right(), b.engine().left())) return Truth::yes;
  return mpfr_greaterequal_p(a.engine().left(), b.engine().right()) ? Truth::no : Truth::unknown;
}

Truth less_equal(const Interval& a, const Interval& b) { return !less(b, a); }

Truth overlaps(const Interval& a, const Interval& b) {
  return truth(mpfr_lessequal_p(a.engine().left(), b.engine().right()) &&
               mpfr_lessequal_p(b.engine().left(), a.engine().right()));
}

}  // namespace attncert
