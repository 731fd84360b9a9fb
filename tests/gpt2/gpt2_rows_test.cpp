// The rows of a GPT-2's head that cases of attention are made of (properties/dumps/gpt2_rows.cpp) against the pass by
// definition in double: each entry is the bf16 nearest to the model's.
#include "properties/dumps/gpt2_rows.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

#include "tests/gpt2/plain_forward.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

constexpr std::size_t layer = 2, head = 1;  // as gpt2_rows.cpp says

// To nearest, 8 bits, ties to even; of numbers that are normal in bf16.
double bf16(double x) {
  int exponent = 0;
  const double significand = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(significand, 8)), exponent - 8);
}

TEST(Gpt2Rows, are_those_of_the_model) {
  const PlainPass pass = plain_forward(tiny(), std::span(sample_tokens()).first(gpt2_tokens), plain_softmax_row);
  const std::size_t width = tiny().shape.C;
  ASSERT_EQ(tiny().shape.head_size(), gpt2_head_size);
  const std::string_view parts[] = {gpt2_queries, gpt2_keys, gpt2_values};
  for (std::size_t part = 0; part < 3; ++part) {
    ASSERT_EQ(parts[part].size(), 4 * gpt2_tokens * gpt2_head_size);
    for (std::size_t token = 0; token < gpt2_tokens; ++token)
      for (std::size_t e = 0; e < gpt2_head_size; ++e) {
        const std::string digits(parts[part].substr(4 * (token * gpt2_head_size + e), 4));
        const auto bits = static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
        EXPECT_EQ(std::bit_cast<float>(bits << 16),
                  bf16(pass.qkv[layer][token][part * width + head * gpt2_head_size + e]))
            << "of queries, keys, values " << part << ", token " << token << ", entry " << e;
      }
  }
}

}  // namespace
}  // namespace attncert
