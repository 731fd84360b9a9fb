// What entries of a row have in common: sums, quotients by them, and gradients.
#include "properties/conformance/double_double/balls.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "properties/conformance/double_double/ball_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>

#include "properties/conformance/double_double/ball-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

// Upstream gradients are taken at 2^256 times themselves: subnormal ones keep their digits.
constexpr double upstream_unit = 0x1p256;

void take_truth(const Truth& truth, Balls& to) {
  to.resize(truth.length);
  const Ball times = Ball::all({truth.times.high, truth.times.low, 0});
  each_vector(truth.length, [&](std::size_t i) HWY_ATTR {
    const BallVector high = hn::LoadU(BallTag(), truth.high + i), low = hn::LoadU(BallTag(), truth.low + i);
    const auto present = hn::And(hn::Eq(high, high), hn::FirstN(BallTag(), truth.length - i));
    const VectorPair<BallVector> pair = fast_two_sum(high, low);
    Ball value = Ball{pair.high, pair.low, set(0)} * times;
    value.error = hn::Add(value.error, set(truth.absolute));
    value.error = hn::MulAdd(hn::Abs(value.high), set(truth.relative * (1 + 0x1p-40)), value.error);
    store(if_then_else(present, value, Ball::exact(0)), to, i);
  });
}

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

Number sum_balls(const Balls& balls) {
  const Ball total = sum_of(balls.length, [&](std::size_t i) HWY_ATTR { return load(balls, i); });
  return {hn::GetLane(total.high), hn::GetLane(total.low), hn::GetLane(total.error)};
}

void scale_each(Balls& balls, const Number& by, const Number& over) {
  const Ball factor = Ball::all(by) / Ball::all(over);
  each_vector(balls.length, [&](std::size_t i) HWY_ATTR { store(product_or_zero(load(balls, i), factor), balls, i); });
}

// Both at 2^512, and so is their product.
void multiply_each(Balls& balls, const Balls& by) {
  each_vector(balls.length, [&](std::size_t i) HWY_ATTR {
    const Ball a = times_power_of_two(load(balls, i), 0x1p-256), b = times_power_of_two(load(by, i), 0x1p-256);
    store(a * b, balls, i);
  });
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

// At 2^512 times themselves f64's normal numbers begin at 2^-510. What is below 2^-514 has the smallest unit whatever
// its digits are, and of what is not this is less than 2^-46.
constexpr double far_below_units = 0x1p-560;

// Nothing is known of an entry whose magnitude has not the digits that a unit needs.
HWY_INLINE void store_gradient(Ball value, const Ball& magnitude, std::size_t i, Balls& to,
                               std::vector<double>& sizes) {
  const auto known = hn::Le(magnitude.error, hn::MulAdd(magnitude.high, set(0x1p-46), set(far_below_units)));
  value.error = hn::IfThenElse(known, value.error, set(HUGE_VAL));
  store(value, to, i);
  hn::StoreU(magnitude.high, BallTag(), sizes.data() + i);
}

void differentiate_row(const BallGradient& gradient, Balls& to, std::vector<double>& sizes) {
  const std::size_t length = gradient.slopes.length;
  const Upstream upstream(gradient.upstream);
  const auto share = [&](std::size_t i) HWY_ATTR { return load(gradient.shares, i); };
  const Ball mean =
      times_power_of_two(sum_of(length, [&](std::size_t i) HWY_ATTR { return share(i) * upstream(i); }), 1 / ball_unit);
  const Ball mean_size = times_power_of_two(
      sum_of(length, [&](std::size_t i) HWY_ATTR { return share(i) * absolute(upstream(i)); }), 1 / ball_unit);
  const Ball factor = Ball::all(gradient.factor), size_of_factor = absolute(factor);
  const auto in_units = [](const Ball& ball) HWY_ATTR { return times_power_of_two(ball, 1 / upstream_unit); };
  to.resize(length);
  sizes.resize(padded_to_vectors(length));
  each_vector(length, [&](std::size_t i) HWY_ATTR {
    const Ball slope = load(gradient.slopes, i), g = upstream(i);
    const Ball magnitude = in_units(absolute(slope) * (absolute(g) + mean_size)) * size_of_factor;
    store_gradient(in_units(slope * (g - mean)) * factor, magnitude, i, to, sizes);
  });
}

void differentiate_logarithm_row(const BallGradient& gradient, Balls& to, std::vector<double>& sizes) {
  const std::size_t length = gradient.shares.length;
  const Upstream upstream(gradient.upstream);
  const Ball total = times_power_of_two(sum_of(length, upstream), 1 / ball_unit);
  const Ball size =
      times_power_of_two(sum_of(length, [&](std::size_t i) HWY_ATTR { return absolute(upstream(i)); }), 1 / ball_unit);
  const Ball factor = times_power_of_two(Ball::all(gradient.factor), ball_unit / upstream_unit);
  to.resize(length);
  sizes.resize(padded_to_vectors(length));
  each_vector(length, [&](std::size_t i) HWY_ATTR {
    const Ball share = load(gradient.shares, i), g = upstream(i);
    store_gradient((g - share * total) * factor, (absolute(g) + share * size) * factor, i, to, sizes);
  });
}

void multiply_upstream_row(const BallGradient& gradient, Balls& to) {
  const Ball factor = Ball::all(gradient.factor);
  to.resize(gradient.slopes.length);
  each_vector(to.length, [&](std::size_t i) HWY_ATTR {
    const Ball g = Ball::exact(hn::LoadU(BallTag(), gradient.upstream + i));
    store(load(gradient.slopes, i) * g * factor, to, i);
  });
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_double {

HWY_EXPORT(take_truth);
HWY_EXPORT(sum_balls);
HWY_EXPORT(scale_each);
HWY_EXPORT(multiply_each);
HWY_EXPORT(differentiate_row);
HWY_EXPORT(differentiate_logarithm_row);
HWY_EXPORT(multiply_upstream_row);

Number number(const Factor& factor) {
  return {factor.value.high, factor.value.low, std::abs(factor.value.high) * factor.relative * (1 + 0x1p-40)};
}

void take(const Truth& truth, Balls& to) { HWY_DYNAMIC_DISPATCH(take_truth)(truth, to); }
Number sum(const Balls& balls) { return HWY_DYNAMIC_DISPATCH(sum_balls)(balls); }
void scale(Balls& balls, const Number& by, const Number& over) { HWY_DYNAMIC_DISPATCH(scale_each)(balls, by, over); }
void multiply(Balls& balls, const Balls& by) { HWY_DYNAMIC_DISPATCH(multiply_each)(balls, by); }
void differentiate(const BallGradient& gradient, Balls& to, std::vector<double>& magnitude) {
  HWY_DYNAMIC_DISPATCH(differentiate_row)(gradient, to, magnitude);
}
void differentiate_logarithm(const BallGradient& gradient, Balls& to, std::vector<double>& magnitude) {
  HWY_DYNAMIC_DISPATCH(differentiate_logarithm_row)(gradient, to, magnitude);
}
void multiply_upstream(const BallGradient& gradient, Balls& to) {
  HWY_DYNAMIC_DISPATCH(multiply_upstream_row)(gradient, to);
}

Truth truth_of(Balls& balls, const BallRow& row, bool zeros_are_absent, const std::vector<double>* magnitude) {
  for (std::size_t i = 0; i < balls.length; ++i) {
    const bool zero = balls.high[i] == 0 && balls.error[i] == 0;
    if (row.logits[i] == -HUGE_VAL || (zeros_are_absent && zero)) balls.high[i] = NAN;
  }
  Truth truth;
  truth.length = balls.length;
  truth.high = balls.high.data();
  truth.low = balls.low.data();
  truth.error = balls.error.data();
  truth.scale = exponential_scale;
  truth.magnitude = magnitude == nullptr ? nullptr : magnitude->data();
  return truth;
}

}  // namespace attncert::double_double
#endif  // HWY_ONCE
