// Capture: the plan is kept, the rows are those of the forward pass, and bad texts and plans are one line.
#include "src/gpt2/capture.hpp"

#include <gtest/gtest.h>

#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

const std::string& sample() {
  static const std::string text = file_text(data_path("sample.txt"));
  return text;
}

TEST(Capture, default_plan_on_the_sample) {
  const auto captured = capture(tiny(), sample(), {}, "sample.txt");
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->windows, 2U);
  EXPECT_EQ(captured->dropped_tokens, sample_tokens().size() - 2048);
  ASSERT_EQ(captured->tokens.size(), 8U);
  ASSERT_EQ(captured->rows.size(), 2U * 4 * 4 * 4);
  std::size_t i = 0;
  for (std::size_t window = 0; window < 2; ++window)
    for (std::size_t layer = 0; layer < 4; ++layer) {
      const CapturedTokens& tokens = *captured->tokens[4 * window + layer];
      EXPECT_EQ((std::vector{tokens.window, tokens.layer, tokens.length, tokens.width, tokens.values.size()}),
                (std::vector<std::size_t>{window, layer, 1024, 128, 1024 * 128}));
      for (std::size_t head = 0; head < 4; ++head)
        for (const std::size_t query : {7U, 31U, 127U, 1023U}) {
          const CapturedRow& row = captured->rows[i++];
          EXPECT_EQ((std::vector{row.window, row.layer, row.head, row.query}),
                    (std::vector<std::size_t>{window, layer, head, query}));
          EXPECT_EQ(row.logits.size(), query + 1);
          EXPECT_EQ(row.weights.size(), query + 1);
          EXPECT_EQ(row.tokens.get(), &tokens);
        }
    }
}

TEST(Capture, rows_are_those_of_the_forward_pass) {
  const auto captured = capture(tiny(), sample(), {1, {1023, 31, 31}}, "sample.txt");  // any order, repeats allowed
  ASSERT_TRUE(captured) << captured.error().message;
  ASSERT_EQ(captured->rows.size(), 32U);
  for (const CapturedRow& row : captured->rows) {
    EXPECT_EQ(row.logits, window0().row(row.layer, row.head, row.query).logits);
    EXPECT_EQ(row.weights, window0().row(row.layer, row.head, row.query).weights);
    EXPECT_EQ(row.tokens->values, window0().input[row.layer]);
  }
}

TEST(Capture, layer_zero_is_the_sum_of_the_embeddings) {
  const auto& checkpoint = tiny().checkpoint;
  for (const std::size_t t : {0U, 1U, 500U, 1023U})
    for (std::size_t c = 0; c < 128; ++c)
      EXPECT_EQ(window0().input[0][t * 128 + c],
                checkpoint.wte[window0().tokens[t] * 128 + c] + checkpoint.wpe[t * 128 + c]);
}

TEST(Capture, the_second_window_starts_afresh) {
  const auto captured = capture(tiny(), sample(), {5, {63}}, "sample.txt");
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->windows, 2U);  // the text has no more
  const Window second = run_window(tiny(), std::span(sample_tokens()).subspan(1024, 1024), plain_softmax, {63});
  EXPECT_EQ(captured->tokens[4]->values, second.input[0]);
}

void expect_refused(const Result<CapturedAttention>& captured, const std::string& message) {
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().message, message);
}

TEST(Capture, bad_texts_and_plans) {
  expect_refused(capture(tiny(), "", {}, "empty.txt", plain_softmax),
                 "empty.txt: has 0 tokens where one window of this model needs 1024; give a longer text");
  const std::string short_text = tiny().tokenizer.decode(std::span(sample_tokens()).first(1023));
  const auto count = std::to_string(tiny().tokenizer.encode(short_text).size());
  expect_refused(capture(tiny(), short_text, {}, "short.txt", plain_softmax),
                 "short.txt: has " + count + " tokens where one window of this model needs 1024; give a longer text");
  expect_refused(capture(tiny(), sample(), {1, {1024}}, "sample.txt", plain_softmax),
                 "capture: query 1024 is beyond the model's window of 1024 tokens; ask for queries below 1024");
  expect_refused(capture(tiny(), sample(), {1, {}}, "sample.txt", plain_softmax),
                 "capture: the plan has no query or no window; ask for at least one of each");
  expect_refused(capture(tiny(), sample(), {0, {7}}, "sample.txt", plain_softmax),
                 "capture: the plan has no query or no window; ask for at least one of each");
}

TEST(Capture, a_model_that_overflows_is_refused) {
  Gpt2 model = tiny();
  for (float& w : model.checkpoint.blocks[2].qkv.weight) w = 1e38F;
  const auto captured = capture(model, sample(), {1, {7}}, "sample.txt", plain_softmax);
  ASSERT_FALSE(captured);
  EXPECT_NE(captured.error().message.find("not finite in window 0"), std::string::npos) << captured.error().message;
}

}  // namespace
}  // namespace attncert
