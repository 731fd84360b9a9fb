// Layers against values that can be had without them: the formulas in double on a few numbers.
#include "src/gpt2/layers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace attncert {
namespace {

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

TEST(Layers, gelu_new_is_the_tanh_form) {
  std::vector<float> values;
  for (int i = -400; i <= 400; ++i) values.push_back(static_cast<float>(i) / 32);
  std::vector<float> got = values;
  gelu_new(got);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    const double exact = 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    // 1 + tanh is rounded at the size of 1 and tanh itself is within a few ulp: 8 * 2^-24 * |x| / 2 covers both.
    EXPECT_NEAR(got[i], exact, 4 * std::abs(x) * 0x1p-24 + 1e-30) << x;
  }
}

TEST(Layers, add_adds) {
  const std::vector<float> what = {1, -2};
  std::vector<float> to = {10, 20};
  add(what, to);
  EXPECT_EQ(to, (std::vector<float>{11, 18}));
}

}  // namespace
}  // namespace attncert
