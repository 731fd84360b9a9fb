// What gradients made of balls share: upstream gradients, sums over a row, and how an entry is stored.
#if defined(ATTNCERT_DOUBLE_DOUBLE_BALL_GRADIENT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_DOUBLE_DOUBLE_BALL_GRADIENT_INL_H
#undef ATTNCERT_DOUBLE_DOUBLE_BALL_GRADIENT_INL_H
#else
#define ATTNCERT_DOUBLE_DOUBLE_BALL_GRADIENT_INL_H
#endif

#include <cmath>
#include <cstddef>
#include <vector>

#include "hwy/highway.h"
#include "properties/conformance/double_double/ball-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

// Upstream gradients are taken at 2^256 times themselves: subnormal ones keep their digits.
constexpr double upstream_unit = 0x1p256;

// value(i) of every vector, in all lanes.
template <class Value>
HWY_INLINE Ball sum_of(std::size_t length, const Value& value) {
  Ball total = Ball::exact(0);
  each_vector(length, [&](std::size_t i) HWY_ATTR { total = total + value(i); });
  HWY_ALIGN double high[HWY_MAX_BYTES / sizeof(double)], low[HWY_MAX_BYTES / sizeof(double)],
      error[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(total.high, BallTag(), high);
  hn::Store(total.low, BallTag(), low);
  hn::Store(total.error, BallTag(), error);
  Ball all = Ball::exact(0);
  for (std::size_t k = 0; k < hn::Lanes(BallTag()); ++k) all = all + Ball::all({high[k], low[k], error[k]});
  return all;
}

class Upstream {
 public:
  explicit HWY_INLINE Upstream(const double* values) : values_(values) {}
  HWY_INLINE Ball operator()(std::size_t i) const {
    return Ball::exact(hn::Mul(hn::LoadU(BallTag(), values_ + i), set(upstream_unit)));
  }

 private:
  const double* values_;
};

// Nothing is known of an entry whose magnitude has not the digits that a unit needs.
HWY_INLINE void store_gradient(Ball value, const Ball& magnitude, double negligible, std::size_t i, Balls& to,
                               std::vector<double>& sizes) {
  const auto known = hn::Le(magnitude.error, hn::MulAdd(magnitude.high, set(0x1p-46), set(negligible)));
  value.error = hn::IfThenElse(known, value.error, set(HUGE_VAL));
  store(value, to, i);
  hn::StoreU(magnitude.high, BallTag(), sizes.data() + i);
}

HWY_INLINE Ball in_upstream_units(const Ball& ball) { return times_power_of_two(ball, 1 / upstream_unit); }

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
