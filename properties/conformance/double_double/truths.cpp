#include "properties/conformance/double_double/truths.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "properties/conformance/double_double/constants.hpp"
#include "properties/conformance/double_double/row_pass.hpp"

namespace attncert::double_double {
namespace {

// What products and quotients of double-doubles add to the errors of their operands, together: docs/double-double.md,
// 4.
constexpr double finishing_error = 0x1p-94;
constexpr int log_scale = 64;

Truth of(const Exponentials& e) {
  Truth truth;
  truth.length = e.length();
  truth.high = e.high();
  truth.low = e.low();
  truth.scale = exponential_scale;
  truth.absolute = 2 * Exponentials::absolute;
  return truth;
}

// exp(-|x|) of x = c z, times 2^512; its error is that of one exponential.
DoubleDouble exponential_below(double z, const Factor& factor) {
  Exponentials pair;
  const std::array<double, 2> logits{0, factor.value.high < 0 ? std::abs(z) : -std::abs(z)};
  pair.compute(std::span<const double>(logits), {}, factor);
  return {pair.high()[1], pair.low()[1]};
}

DoubleDouble scaled(DoubleDouble a, int exponent) {
  return {std::ldexp(a.high, exponent), std::ldexp(a.low, exponent)};
}

}  // namespace

double softmax_relative(std::size_t length, const Factor& factor, bool and_zero) {
  return (and_zero ? 3 : 1) * exponential_relative(factor) + exponential_sum_relative(length, factor) + finishing_error;
}

bool softmax1_is_open(double largest) { return largest > deepest_argument - 1 && largest < -600; }

Truth softmax_truth(const Exponentials& e) {
  Truth truth = of(e);
  truth.times = divide({1, 0}, e.sum());
  truth.relative = softmax_relative(e.length(), e.factor(), false);
  return truth;
}

// With the pivot m shifted out, E_i = exp(x_i - m): E_i / (exp(-m) + S) where m >= 0, else E_i exp(m) / (1 + exp(m) S).
std::optional<Truth> softmax1_truth(const Exponentials& e) {
  Truth truth = of(e);
  const double largest = e.pivot() * e.factor().value.high;
  if (largest < 0 && largest > deepest_argument - 1) {
    if (softmax1_is_open(largest)) return std::nullopt;
    const DoubleDouble a = scaled(exponential_below(e.pivot(), e.factor()), -exponential_scale);
    truth.times = divide(a, add({1, 0}, multiply(a, e.sum())));
  } else if (largest < 0) {
    truth.times = {0, 0};  // every entry is below exp(-800)
  } else {
    const DoubleDouble a = exponential_below(e.pivot(), e.factor());
    truth.times = divide({1, 0}, add(scaled(a, -exponential_scale), e.sum()));
  }
  truth.relative = softmax_relative(e.length(), e.factor(), true);
  return truth;
}

// -lambda = -log(1 + R), R the sum without one entry at the pivot: x_i - m and -lambda are both <= 0, nothing cancels.
std::optional<Truth> LogSoftmax::truth(const Exponentials& e) {
  if (!(e.deepest() <= 0x1p900)) return std::nullopt;
  const DoubleDouble rest = e.scaled_rest();
  // Below 2^-120, log(1 + R) = R to 2^-121 of itself; R itself may be subnormal, 2^64 R is not.
  const DoubleDouble lambda = rest.high < 0x1p392 ? scaled(rest, log_scale - exponential_scale)
                                                  : scaled(log1p(scaled(rest, -exponential_scale)), log_scale);
  if (high_.size() < e.padded_length()) {
    high_.resize(e.padded_length());
    low_.resize(e.padded_length());
  }
  e.write_logarithms(negated(lambda), std::ldexp(1.0, log_scale), high_.data(), low_.data());
  Truth truth;
  truth.length = e.length();
  truth.high = high_.data();
  truth.low = low_.data();
  truth.scale = log_scale;
  truth.relative = 3 * e.sum_relative() + e.factor().relative + finishing_error;
  truth.absolute = 0x1p-1064;  // entries of the rest below exp(-800): 2^(24 + 64 - 1154); underflow: 2^-1073
  truth.absent_value = -std::numeric_limits<double>::infinity();
  return truth;
}

}  // namespace attncert::double_double
