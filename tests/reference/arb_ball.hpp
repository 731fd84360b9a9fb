// Arb as the independent judge of Interval: another representation (midpoint and radius) with exp and log of its own.
// End points cross over exactly (arf_set_mpfr), never through doubles.
#pragma once

#include "reference/interval_engine.hpp"
#include "tests/arb.hpp"

namespace attncert {

inline constexpr slong judge_bits = 1024;  // far beyond every precision judged here: a miss of 1 ulp is seen

using ArbBall = ArbNumber<judge_bits>;

// Some real number is in both. Two enclosures of one number must have one; with the ball's radius of 2^-judge_bits this
// is containment for all that matters.
inline bool meets(const Interval& interval, const ArbValue& ball) {
  if (!arb_is_finite(ball.get())) return true;
  arf_t end, bound;
  arf_init(end);
  arf_init(bound);
  arf_set_mpfr(end, interval.engine().right());
  arb_get_lbound_arf(bound, ball.get(), 2 * judge_bits);
  bool both = arf_cmp(bound, end) <= 0;
  arf_set_mpfr(end, interval.engine().left());
  arb_get_ubound_arf(bound, ball.get(), 2 * judge_bits);
  both = both && arf_cmp(end, bound) <= 0;
  arf_clear(end);
  arf_clear(bound);
  return both;
}

// The ends are equal or neighbours at the interval's precision: nothing tighter exists unless the value is an end
// itself.
inline bool is_tight(const Interval& interval) {
  mpfr_t next;
  mpfr_init2(next, interval.engine().bits());
  mpfr_set(next, interval.engine().left(), MPFR_RNDN);
  mpfr_nextabove(next);
  const bool tight = mpfr_lessequal_p(interval.engine().right(), next);
  mpfr_clear(next);
  return tight;
}

inline bool is_inside(const Interval& inner, const Interval& outer) {
  return mpfr_lessequal_p(outer.engine().left(), inner.engine().left()) &&
         mpfr_lessequal_p(inner.engine().right(), outer.engine().right());
}
inline bool same_ends(const Interval& a, const Interval& b) { return is_inside(a, b) && is_inside(b, a); }

// What the engine promises of every result: ordered, no NaN, never beyond all reals.
inline bool is_sound(const Interval& a) {
  return mpfr_lessequal_p(a.engine().left(), a.engine().right()) &&
         !(mpfr_inf_p(a.engine().left()) && mpfr_sgn(a.engine().left()) > 0) &&
         !(mpfr_inf_p(a.engine().right()) && mpfr_sgn(a.engine().right()) < 0);
}

}  // namespace attncert
