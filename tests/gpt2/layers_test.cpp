// Layers against values that can be had without them: the formulas in double on a few numbers.
#include "src/gpt2/layers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// Once for every instruction set that this machine has.
template <class Test>
void on_every_instruction_set(Test test) {
  for (const std::string& name : instruction_sets()) {
    SCOPED_TRACE(name);
    const ForcedInstructionSet forced(name);
    test();
  }
}

TEST(Layers, layer_norm_of_two_rows) {
  // (1, 3): mean 2, variance 1; with epsilon 3 the divisor is exactly 2. (5, 5): variance 0.
  const LayerNorm layer{{2.0F, 10.0F}, {0.5F, -1.0F}};
  const std::vector<float> input = {1, 3, 5, 5};
  std::vector<float> output(4);
  layer_norm(input, layer, 3.0F, output);
  EXPECT_EQ(output, (std::vector<float>{-0.5F, 4.0F, 0.5F, -1.0F}));
}

TEST(Layers, linear_is_stored_in_by_out) {
  const Linear layer{{1, 2, 3, 4, 5, 6}, {100, 200, 300}};  // two inputs, three outputs
  const std::vector<float> input = {1, 10, 0, 1};
  std::vector<float> output(6);
  linear(input, layer, output);
  EXPECT_EQ(output, (std::vector<float>{141, 252, 363, 104, 205, 306}));
}

double tanh_form(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

TEST(Layers, gelu_new_is_the_tanh_form) {
  std::vector<float> values;
  for (int i = -400; i <= 400; ++i) values.push_back(static_cast<float>(i) / 32);
  on_every_instruction_set([&values] {
    std::vector<float> got = values;
    gelu_new(got);
    // 1 + exp(-2u) is at least 1 and u is within a few ulp: 8 * 2^-24 * |x| / 2 covers both.
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(got[i], tanh_form(values[i]), 4 * std::abs(values[i]) * 0x1p-24 + 1e-30) << values[i];
  });
}

// Relatively too: to the left the tanh form cancels and 1 / (1 + exp(-2u)) does not. -2u takes four roundings (the two
// coefficients, x^2, the products), each 2^-24 of its size in the exponent; exp, the sum and the quotient one ulp each.
TEST(Layers, gelu_new_is_relatively_exact_to_the_left) {
  on_every_instruction_set([] {
    for (int i = 1; i <= 160; ++i) {
      const double x = -i / 32.0;
      const double minus_2u = -2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
      const double exact = x / (1 + std::exp(minus_2u));
      std::vector<float> value = {static_cast<float>(x)};
      gelu_new(value);
      EXPECT_NEAR(value[0], exact, (5 * minus_2u + 6) * 0x1p-24 * -exact) << x;
    }
  });
}

TEST(Layers, gelu_new_far_out) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  on_every_instruction_set([] {
    std::vector<float> values = {1e30F, infinity, -20, -1e30F, 0, std::nanf("")};
    gelu_new(values);
    EXPECT_EQ((std::vector<float>(values.begin(), values.end() - 1)), (std::vector<float>{1e30F, infinity, 0, 0, 0}));
    EXPECT_TRUE(std::isnan(values.back()));
  });
}

struct NormRow {
  std::vector<float> input;
  LayerNorm layer;
  std::vector<double> normal;  // what gain and bias act on
};

NormRow norm_row(std::size_t width) {
  NormRow row;
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < width; ++i) {
    row.input.push_back(3 + std::sin(static_cast<float>(i * i)));
    row.layer.gain.push_back(1 + 0.1F * static_cast<float>(i % 7));
    row.layer.bias.push_back(0.2F * static_cast<float>(i % 5));
    mean += static_cast<double>(row.input[i]) / static_cast<double>(width);
  }
  for (const float x : row.input) variance += (x - mean) * (x - mean) / static_cast<double>(width);
  for (const float x : row.input) row.normal.push_back((x - mean) / std::sqrt(variance + static_cast<double>(1e-5F)));
  return row;
}

// Widths that leave a rest beside whole vectors, against the formula in double.
TEST(Layers, layer_norm_of_every_width) {
  on_every_instruction_set([] {
    for (std::size_t width = 1; width <= 70; ++width) {
      const NormRow row = norm_row(width);
      std::vector<float> output(width);
      layer_norm(row.input, row.layer, 1e-5F, output);
      for (std::size_t i = 0; i < width; ++i) {
        const double scaled = row.normal[i] * row.layer.gain[i], bias = row.layer.bias[i];
        // Three roundings: of the normal value, of its product with the gain, of the sum.
        EXPECT_NEAR(output[i], scaled + bias, 3 * 0x1p-24 * (std::abs(scaled) + bias) + 1e-15) << width;
      }
    }
  });
}

TEST(Layers, add_adds) {
  const std::vector<float> what = {1, -2};
  std::vector<float> to = {10, 20};
  add(what, to);
  EXPECT_EQ(to, (std::vector<float>{11, 18}));
}

}  // namespace
}  // namespace attncert
