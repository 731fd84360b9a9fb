// Balls: pairs of doubles that carry a bound of their error, |exact - (high + low)| <= error, a vector at a time.
// Every operation adds what it rounds off to what its operands may be off by, so that a formula made of them needs no
// proof of its own; docs/double-double.md, 6 bounds each operation. An error that is no finite number says that nothing
// is known.
#if defined(ATTNCERT_DOUBLE_DOUBLE_BALL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_DOUBLE_DOUBLE_BALL_INL_H
#undef ATTNCERT_DOUBLE_DOUBLE_BALL_INL_H
#else
#define ATTNCERT_DOUBLE_DOUBLE_BALL_INL_H
#endif

#include <cmath>
#include <cstddef>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "properties/conformance/double_double/balls.hpp"
#include "properties/conformance/double_double/double_double-inl.h"
#include "properties/conformance/double_double/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

using BallTag = hn::ScalableTag<double>;
using BallVector = hn::Vec<BallTag>;

HWY_INLINE BallVector set(double value) { return hn::Set(BallTag(), value); }

struct Ball {
  BallVector high, low, error;  // |low| <= 2^-53 |high|

  static HWY_INLINE Ball exact(BallVector value) { return {value, set(0), set(0)}; }
  static HWY_INLINE Ball exact(double value) { return exact(set(value)); }
  static HWY_INLINE Ball all(const Number& number) { return {set(number.high), set(number.low), set(number.error)}; }
};

// What an operation may round off of its result, as a part of it (docs/double-double.md, 6).
constexpr double roundoff = 0x1p-53, product_error = 9 * roundoff * roundoff, quotient_error = 16 * roundoff * roundoff;
// The roundings in the computation of an error, eight at most; and what underflow may take from a product.
constexpr double error_grown = 1 + 0x1p-48, underflow_error = 0x1p-1070;

HWY_INLINE Ball operator-(const Ball& a) { return {hn::Neg(a.high), hn::Neg(a.low), a.error}; }

HWY_INLINE Ball operator+(const Ball& a, const Ball& b) {
  const VectorPair<BallVector> s = two_sum(a.high, b.high);
  const BallVector lows = hn::Add(a.low, b.low), rest = hn::Add(s.low, lows);
  const VectorPair<BallVector> r = two_sum(s.high, rest);
  const BallVector rounded = hn::Add(hn::Abs(lows), hn::Abs(rest));
  const BallVector error = hn::MulAdd(rounded, set(roundoff), hn::Add(a.error, b.error));
  return {r.high, r.low, hn::Mul(error, set(error_grown))};
}

HWY_INLINE Ball operator-(const Ball& a, const Ball& b) { return a + -b; }

HWY_INLINE Ball operator*(const Ball& a, const Ball& b) {
  VectorPair<BallVector> p = multiply(BallTag(), VectorPair<BallVector>{a.high, a.low}, {b.high, b.low});
  p = fast_two_sum(p.high, p.low);
  BallVector error = hn::MulAdd(hn::Add(hn::Abs(a.high), a.error), b.error, hn::Mul(hn::Abs(b.high), a.error));
  error = hn::MulAdd(hn::Abs(p.high), set(product_error), error);
  return {p.high, p.low, hn::MulAdd(error, set(error_grown), set(underflow_error))};
}

// Nothing is known where b may be 0.
HWY_INLINE Ball operator/(const Ball& a, const Ball& b) {
  const BallVector q = hn::Div(a.high, b.high);
  const VectorPair<BallVector> back = two_product(BallTag(), q, b.high);
  const BallVector left = hn::Sub(hn::Sub(a.high, back.high), back.low);
  const BallVector rest = hn::Div(hn::NegMulAdd(q, b.low, hn::Add(left, a.low)), b.high);
  const VectorPair<BallVector> r = fast_two_sum(q, rest);
  const BallVector size = hn::Sub(hn::Mul(hn::Abs(b.high), set(1 - 0x1p-50)), b.error);
  const BallVector moved = hn::MulAdd(hn::Abs(r.high), b.error, hn::Add(a.error, set(underflow_error)));
  BallVector error = hn::MulAdd(hn::Abs(r.high), set(quotient_error), hn::Div(moved, size));
  error = hn::MulAdd(error, set(error_grown), set(underflow_error));
  return {r.high, r.low, hn::IfThenElse(hn::Gt(size, set(0)), error, set(HUGE_VAL))};
}

HWY_INLINE Ball times_power_of_two(const Ball& a, double power) {  // nothing underflows but what underflow_error covers
  const BallVector p = set(power);
  return {hn::Mul(a.high, p), hn::Mul(a.low, p), hn::MulAdd(a.error, p, set(underflow_error))};
}

// `a` where the mask holds, else `b`.
template <class Mask>
HWY_INLINE Ball if_then_else(Mask mask, const Ball& a, const Ball& b) {
  return {hn::IfThenElse(mask, a.high, b.high), hn::IfThenElse(mask, a.low, b.low),
          hn::IfThenElse(mask, a.error, b.error)};
}

// a b, and exactly 0 where a is.
HWY_INLINE Ball product_or_zero(const Ball& a, const Ball& b) {
  const auto zero = hn::And(hn::Eq(a.high, set(0)), hn::Eq(a.error, set(0)));
  return if_then_else(zero, Ball::exact(0), a * b);
}

HWY_INLINE Ball absolute(const Ball& a) { return if_then_else(hn::Lt(a.high, set(0)), -a, a); }

// 2^512 exp(x) of x <= 0 (what a ball holds above is cut off). An argument known to less than 2^-20 gives nothing,
// unless it is certainly below -800.
class ExponentialOfBalls {
 public:
  explicit HWY_INLINE ExponentialOfBalls(const PowerTable& table) : exponential_(BallTag(), table) {}

  HWY_INLINE Ball operator()(const Ball& x) const {
    const BallVector zero = set(0), deepest = set(deepest_argument);
    const auto above = hn::Gt(x.high, zero), deep = hn::Not(hn::Gt(x.high, deepest));
    const auto far_below = hn::Le(hn::MulAdd(x.error, set(2), x.high), deepest);
    const BallVector off = hn::Add(x.error, hn::IfThenElseZero(above, hn::Mul(x.high, set(1 + 0x1p-50))));
    const auto near = hn::Le(off, set(0x1p-20));
    const BallVector high = hn::IfThenElse(deep, deepest, hn::Min(x.high, zero));
    VectorPair<BallVector> e = exponential_({high, hn::IfThenZeroElse(hn::Or(above, deep), x.low)});
    e = fast_two_sum(e.high, e.low);
    const BallVector relative = hn::MulAdd(off, set(1 + 0x1p-19), set(exponential_error));
    const BallVector error =
        hn::IfThenElse(deep, set(deep_error), hn::Mul(hn::Mul(e.high, relative), set(error_grown)));
    return {e.high, e.low, hn::IfThenElse(hn::Or(near, far_below), error, set(HUGE_VAL))};
  }

 private:
  // exp(-800) < 0.9 2^-1154, and an argument below may be off by 2^-20.
  static constexpr double deep_error = 0x1p-642;
  Exponential<BallTag> exponential_;
};

// log(x) of 0 < x <= 1: y + log(x / exp(y)) of a double y next to it.
HWY_INLINE Ball log(const ExponentialOfBalls& exponential, const Ball& x) {
  const BallVector y = hn::Min(hn::Log(BallTag(), x.high), set(0));
  const Ball ratio = times_power_of_two(x, 0x1p512) / exponential(Ball::exact(y));
  Ball d = ratio - Ball::exact(1);
  // |log(1 + d) - d| < d^2 for |d| < 1/2; d.error moves the logarithm by a little more than itself.
  const BallVector size = hn::Add(hn::Abs(d.high), d.error);
  d.error = hn::MulAdd(size, size, hn::MulAdd(d.error, set(1 + 0x1p-9), set(underflow_error)));
  d.error = hn::IfThenElse(hn::Le(size, set(0x1p-10)), d.error, set(HUGE_VAL));
  return Ball::exact(y) + d;
}

HWY_INLINE Ball load(const Balls& from, std::size_t i) {
  return {hn::LoadU(BallTag(), from.high.data() + i), hn::LoadU(BallTag(), from.low.data() + i),
          hn::LoadU(BallTag(), from.error.data() + i)};
}

// A ball of which nothing is known is stored as infinity, so that NaN is left to say that nothing takes part.
HWY_INLINE void store(const Ball& ball, Balls& to, std::size_t i) {
  const auto known = hn::Lt(ball.error, set(HUGE_VAL));
  hn::StoreU(hn::IfThenElse(known, ball.high, set(HUGE_VAL)), BallTag(), to.high.data() + i);
  hn::StoreU(hn::IfThenElseZero(known, ball.low), BallTag(), to.low.data() + i);
  hn::StoreU(hn::IfThenElse(known, ball.error, set(HUGE_VAL)), BallTag(), to.error.data() + i);
}

// work(i) for every vector of a row; arrays are padded to whole vectors.
template <class Work>
HWY_INLINE void each_vector(std::size_t length, const Work& work) {
  for (std::size_t i = 0; i < length; i += hn::Lanes(BallTag())) work(i);
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
