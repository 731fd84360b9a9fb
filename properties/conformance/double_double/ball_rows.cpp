// What entries of a row have in common: sums, quotients by them, and gradients.
#include "properties/conformance/double_double/balls.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "properties/conformance/double_double/ball_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>

#include "properties/conformance/double_double/ball_gradient-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

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

void differentiate_row(const BallGradient& gradient, Balls& to, std::vector<double>& sizes) {
  const std::size_t length = gradient.slopes.length;
  const Upstream upstream(gradient.upstream);
  const auto share = [&](std::size_t i) HWY_ATTR { return load(gradient.shares, i); };
  const Ball mean =
      times_power_of_two(sum_of(length, [&](std::size_t i) HWY_ATTR { return share(i) * upstream(i); }), 1 / ball_unit);
  const Ball mean_size = times_power_of_two(
      sum_of(length, [&](std::size_t i) HWY_ATTR { return share(i) * absolute(upstream(i)); }), 1 / ball_unit);
  const Ball factor = Ball::all(gradient.factor), size_of_factor = absolute(factor);
  to.resize(length);
  sizes.resize(padded_to_vectors(length));
  each_vector(length, [&](std::size_t i) HWY_ATTR {
    const Ball slope = load(gradient.slopes, i), g = upstream(i);
    const Ball magnitude = in_upstream_units(absolute(slope) * (absolute(g) + mean_size)) * size_of_factor;
    store_gradient(in_upstream_units(slope * (g - mean)) * factor, magnitude, gradient.negligible, i, to, sizes);
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
    store_gradient((g - share * total) * factor, (absolute(g) + share * size) * factor, gradient.negligible, i, to,
                   sizes);
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
