// The forward pass against a float64 program of somebody else (data/tiny-gpt2/expected); the tolerances are
// the distance that a float32 pass was measured to keep from it (docs/specification.md#captured).
#include "src/gpt2/forward.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "src/gpt2/normalizer.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/gpt2/table.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

constexpr double attention_tolerance = 1.3e-6, logit_tolerance = 4e-5, log_probability_tolerance = 4e-5;

TEST(Forward, tokens_are_the_expected_ones) {
  const Table expected("window0_tokens.csv");
  ASSERT_EQ(expected.rows(), 1024U);
  ASSERT_GE(sample_tokens().size(), expected.rows());
  for (std::size_t i = 0; i < expected.rows(); ++i)
    EXPECT_EQ(sample_tokens()[i], expected.count(i, "token")) << "position " << i;
}

void compare_last_rows(const Window& window, const std::string& file, std::vector<float> Row::*values,
                       double tolerance) {
  const Table expected(file);
  ASSERT_EQ(expected.rows(), 1024U);
  double worst = 0;
  for (std::size_t layer = 0; layer < 4; ++layer)
    for (std::size_t head = 0; head < 4; ++head) {
      const auto& row = window.row(layer, head, 1023).*values;
      ASSERT_EQ(row.size(), expected.rows());
      const std::string column = "l" + std::to_string(layer) + "h" + std::to_string(head);
      for (std::size_t i = 0; i < row.size(); ++i)
        worst = std::max(worst, std::abs(row[i] - expected.number(i, column)));
    }
  EXPECT_LE(worst, tolerance);
  testing::Test::RecordProperty("worst", std::to_string(worst * 1e9) + "e-9");
}

TEST(Forward, attention_of_the_last_row_is_the_expected_one) {
  compare_last_rows(window0(), "window0_lastrow_attention.csv", &Row::weights, attention_tolerance);
}

TEST(Forward, logits_of_the_last_row_are_the_expected_ones) {
  compare_last_rows(window0(), "window0_lastrow_logits.csv", &Row::logits, logit_tolerance);
}

// The kernel rounds otherwise on every instruction set, and the layers above amplify it; the tolerance holds for all.
TEST(Forward, every_instruction_set_is_within_the_tolerances) {
  for (const std::string& name : instruction_sets()) {
    SCOPED_TRACE(name);
    const ForcedInstructionSet forced(name);
    const Window window = run_window(tiny(), std::span(sample_tokens()).first(1024), built_in_softmax(), {1023});
    compare_last_rows(window, "window0_lastrow_attention.csv", &Row::weights, attention_tolerance);
    compare_last_rows(window, "window0_lastrow_logits.csv", &Row::logits, logit_tolerance);
  }
}

TEST(Forward, log_probabilities_of_the_next_tokens_are_the_expected_ones) {
  const Table expected("window0_logprob.csv");
  ASSERT_EQ(expected.rows(), 1023U);
  ASSERT_EQ(window0().next.size(), expected.rows());
  double worst = 0;
  for (std::size_t i = 0; i < expected.rows(); ++i) {
    const NextToken& next = window0().next[i];
    EXPECT_EQ(next.token, expected.count(i, "next_token")) << "position " << i;
    EXPECT_EQ(next.likeliest, expected.count(i, "argmax")) << "position " << i;
    worst = std::max(worst, std::abs(next.log_probability - expected.number(i, "logprob")));
  }
  EXPECT_LE(worst, log_probability_tolerance);
  RecordProperty("worst", std::to_string(worst * 1e9) + "e-9");
}

// Causality, exactly: what comes later changes nothing before it, because no later key enters any product.
TEST(Forward, later_tokens_change_nothing_before_them) {
  const std::vector<std::size_t> queries = {31, 97};  // inside their blocks of queries
  const Window whole = run_window(tiny(), std::span(sample_tokens()).first(200), plain_softmax, queries);
  std::vector<TokenId> changed(sample_tokens().begin(), sample_tokens().begin() + 200);
  for (std::size_t i = 98; i < changed.size(); ++i) changed[i] = (changed[i] + 1) % 512;
  const Window other = run_window(tiny(), changed, plain_softmax, queries);
  for (std::size_t layer = 0; layer < 4; ++layer)
    for (std::size_t head = 0; head < 4; ++head)
      for (const std::size_t query : queries) {
        EXPECT_EQ(whole.row(layer, head, query).logits, other.row(layer, head, query).logits);
        EXPECT_EQ(whole.row(layer, head, query).weights, other.row(layer, head, query).weights);
      }
}

TEST(Forward, one_token_attends_to_itself) {
  const Window one = run_window(tiny(), std::span(sample_tokens()).first(1), plain_softmax, {0});
  EXPECT_EQ(one.row(3, 3, 0).weights, std::vector<float>{1.0F});
  EXPECT_TRUE(one.next.empty());
}

// Another normalizer really stands in the middle: uniform weights give other logits from the second layer on.
TEST(Forward, the_normalizer_decides) {
  const auto uniform = [](std::span<const float> logits, std::span<float> weights) {
    std::fill(weights.begin(), weights.end(), 1.0F / static_cast<float>(logits.size()));
  };
  const auto tokens = std::span(sample_tokens()).first(32);
  const Window a = run_window(tiny(), tokens, plain_softmax, {31}), b = run_window(tiny(), tokens, uniform, {31});
  EXPECT_EQ(a.row(0, 0, 31).logits, b.row(0, 0, 31).logits);
  EXPECT_NE(a.row(1, 0, 31).logits, b.row(1, 0, 31).logits);
  EXPECT_EQ(b.row(0, 0, 31).weights[5], 1.0F / 32);
}

}  // namespace
}  // namespace attncert
