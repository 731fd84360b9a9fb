// What the entries of a row are made of: sigmoids, positive parts, Taylor polynomials, heights above a threshold and
// their powers.
#include "properties/conformance/double_double/balls.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "properties/conformance/double_double/ball_terms.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>

#include "properties/conformance/double_double/ball-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

const PowerTable& powers_of_two() {
  static const PowerTable table;
  return table;
}

// term(z) of every entry, 0 where nothing takes part.
template <class Term>
HWY_INLINE void each_term(const BallRow& row, Balls& to, const Term& term) {
  to.resize(row.length);
  each_vector(row.length, [&](std::size_t i) HWY_ATTR {
    const BallVector z = hn::LoadU(BallTag(), row.logits + i);
    const auto absent = hn::Eq(z, set(-HUGE_VAL));
    store(if_then_else(absent, Ball::exact(0), term(hn::IfThenZeroElse(absent, z))), to, i);
  });
}

void sigmoid_terms_of(const BallRow& row, double bias, double top_logit, SigmoidTerm which, Balls& to) {
  const ExponentialOfBalls exponential(powers_of_two());
  const Ball factor = Ball::all(row.factor), offset = Ball::exact(bias), unit = Ball::exact(ball_unit);
  each_term(row, to, [&](BallVector z) HWY_ATTR {
    const Ball x = Ball::exact(z) * factor + offset;
    const auto below = hn::Lt(x.high, set(0));
    const Ball e = exponential(-absolute(x));
    const Ball whole = Ball::exact(1) + times_power_of_two(e, 1 / ball_unit);
    if (which == SigmoidTerm::slope) return e / whole / whole;
    if (which == SigmoidTerm::complement) return if_then_else(below, unit, e) / whole;
    const Ball from_top = (Ball::exact(z) - Ball::exact(top_logit)) * factor + offset;
    return if_then_else(below, top_logit == 0 ? e : exponential(from_top), unit) / whole;
  });
}

void positive_parts_of(const BallRow& row, Balls& to) {
  each_term(row, to, [&](BallVector z) HWY_ATTR { return Ball::exact(hn::Max(z, set(0))); });
}

// Horner's rule in x / unit, so that powers of x stay in range: with powers of 1 / unit in the place of 1.
void taylor_terms_of(const BallRow& row, std::uint32_t order, double unit, Balls& to) {
  const Ball factor = times_power_of_two(Ball::all(row.factor), 1 / unit);
  each_term(row, to, [&](BallVector z) HWY_ATTR {
    const Ball x = Ball::exact(z) * factor;
    Ball power = Ball::exact(ball_unit), value = power;
    for (std::uint32_t k = order; k >= 1; --k) {
      if (unit != 1) power = times_power_of_two(power, 1 / unit);
      value = power + value * x / Ball::exact(static_cast<double>(k));
    }
    return value;
  });
}

// A height whose sign is open is somewhere between 0 and what it is at most.
void heights_of(const BallRow& row, double largest, const Number& threshold, Balls& to) {
  const Ball factor = Ball::all(row.factor), top = Ball::exact(largest), from = Ball::all(threshold);
  each_term(row, to, [&](BallVector z) HWY_ATTR {
    const Ball height = from - (top - Ball::exact(z)) * factor;
    const BallVector size = hn::Mul(hn::Abs(height.high), set(1 - 0x1p-50));
    const auto certain = hn::Gt(size, height.error), below = hn::Lt(height.high, set(0));
    const BallVector most = hn::MulAdd(hn::Abs(height.high), set(1 + 0x1p-50), height.error);
    const Ball open = {set(0), set(0), hn::IfThenZeroElse(certain, most)};
    return if_then_else(hn::AndNot(below, certain), height, open);
  });
}

void raise_each(Balls& balls, const Number& exponent) {
  const ExponentialOfBalls exponential(powers_of_two());
  const Ball by = absolute(Ball::all(exponent)), unit = Ball::exact(ball_unit);
  each_vector(balls.length, [&](std::size_t i) HWY_ATTR {
    const Ball x = load(balls, i);
    const auto zero = hn::And(hn::Eq(x.high, set(0)), hn::Eq(x.error, set(0)));
    Ball power = exponential(by * log(exponential, x));
    if (exponent.high < 0) power = times_power_of_two(unit / power, ball_unit);
    power.error = hn::IfThenElse(hn::Gt(x.high, x.error), power.error, set(HUGE_VAL));
    store(if_then_else(zero, Ball::exact(0), power), balls, i);
  });
}

void square_each(Balls& balls) {
  each_vector(balls.length, [&](std::size_t i) HWY_ATTR {
    const Ball x = load(balls, i);
    store(product_or_zero(x, times_power_of_two(x, ball_unit)), balls, i);
  });
}

void indicate_each(Balls& balls) {
  each_vector(balls.length, [&](std::size_t i) HWY_ATTR {
    const Ball x = load(balls, i);
    const auto positive = hn::Gt(x.high, x.error), zero = hn::And(hn::Eq(x.high, set(0)), hn::Eq(x.error, set(0)));
    const Ball open = {set(0), set(0), hn::IfThenZeroElse(zero, set(HUGE_VAL))};
    store(if_then_else(positive, Ball::exact(ball_unit), open), balls, i);
  });
}

void times_height_above_each(const BallRow& row, double low, Balls& balls) {
  const Ball from = Ball::exact(low);
  each_vector(row.length, [&](std::size_t i) HWY_ATTR {
    const BallVector z = hn::LoadU(BallTag(), row.logits + i);
    const auto absent = hn::Eq(z, set(-HUGE_VAL));
    const Ball height = Ball::exact(hn::IfThenElse(absent, set(low), z)) - from;
    store(load(balls, i) * height, balls, i);
  });
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_double {

HWY_EXPORT(sigmoid_terms_of);
HWY_EXPORT(positive_parts_of);
HWY_EXPORT(taylor_terms_of);
HWY_EXPORT(heights_of);
HWY_EXPORT(raise_each);
HWY_EXPORT(square_each);
HWY_EXPORT(indicate_each);
HWY_EXPORT(times_height_above_each);

void sigmoid_terms(const BallRow& row, double bias, double top_logit, SigmoidTerm which, Balls& to) {
  HWY_DYNAMIC_DISPATCH(sigmoid_terms_of)(row, bias, top_logit, which, to);
}
void positive_parts(const BallRow& row, Balls& to) { HWY_DYNAMIC_DISPATCH(positive_parts_of)(row, to); }
void taylor_terms(const BallRow& row, std::uint32_t order, double unit, Balls& to) {
  HWY_DYNAMIC_DISPATCH(taylor_terms_of)(row, order, unit, to);
}
void heights(const BallRow& row, double largest, const Number& threshold, Balls& to) {
  HWY_DYNAMIC_DISPATCH(heights_of)(row, largest, threshold, to);
}
void raise(Balls& balls, const Number& exponent) { HWY_DYNAMIC_DISPATCH(raise_each)(balls, exponent); }
void square(Balls& balls) { HWY_DYNAMIC_DISPATCH(square_each)(balls); }
void indicate(Balls& balls) { HWY_DYNAMIC_DISPATCH(indicate_each)(balls); }
void times_height_above(const BallRow& row, double low, Balls& balls) {
  HWY_DYNAMIC_DISPATCH(times_height_above_each)(row, low, balls);
}

}  // namespace attncert::double_double
#endif  // HWY_ONCE
