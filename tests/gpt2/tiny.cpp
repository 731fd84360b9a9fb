#include "tests/gpt2/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "src/core/assert.hpp"
#include "src/gpt2/normalizer.hpp"
#include "src/gpt2/products.hpp"

namespace attncert {
namespace {

double log_sum_exp(std::span<const float> logits) {
  const auto top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float z : logits) sum += std::exp(static_cast<double>(z) - top);
  return top + std::log(sum);
}

NextToken judge(std::span<const float> logits, TokenId came) {
  const auto likeliest = std::max_element(logits.begin(), logits.end()) - logits.begin();
  return {came, static_cast<double>(logits[came]) - log_sum_exp(logits), static_cast<TokenId>(likeliest)};
}

// One entry per token but the last, from what forward() gave for the same tokens.
std::vector<NextToken> next_tokens(const Gpt2& model, std::span<const float> hidden, std::span<const TokenId> tokens) {
  constexpr std::size_t block_rows = 64;
  const auto [C, V] = std::pair(model.shape.C, model.shape.V);
  ATTNCERT_ASSERT(!tokens.empty() && hidden.size() == tokens.size() * C);
  const auto& head = model.checkpoint.lm_head.empty() ? model.checkpoint.wte : model.checkpoint.lm_head;
  std::vector<NextToken> next;
  std::vector<float> logits(std::min(block_rows, tokens.size()) * V);
  for (std::size_t first = 0; first + 1 < tokens.size(); first += block_rows) {
    const std::size_t rows = std::min(block_rows, tokens.size() - 1 - first);
    multiply_transposed(MatrixView<const float>{hidden.data() + first * C, rows, C, C},
                        MatrixView<const float>{head.data(), V, C, C}, MatrixView<float>{logits.data(), rows, V, V});
    for (std::size_t r = 0; r < rows; ++r)
      next.push_back(judge(std::span(logits).subspan(r * V, V), tokens[first + r + 1]));
  }
  return next;
}

}  // namespace

std::string data_path(const std::string& name) { return std::string(ATTNCERT_SOURCE_DIR) + "/data/" + name; }

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const Gpt2& tiny() {
  static const Gpt2 model = [] {
    auto loaded = load(data_path("tiny-gpt2"));
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return std::move(*loaded);
  }();
  return model;
}

const std::vector<TokenId>& sample_tokens() {
  static const auto tokens = tiny().tokenizer.encode(file_text(data_path("sample.txt")));
  return tokens;
}

void plain_softmax(std::span<const float> logits, std::span<float> weights) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float z : logits) sum += std::exp(double{z} - top);
  for (std::size_t i = 0; i < logits.size(); ++i)
    weights[i] = static_cast<float>(std::exp(double{logits[i]} - top) / sum);
}

Window run_window(const Gpt2& model, std::span<const TokenId> tokens, const RowNormalizer& normalizer,
                  const std::vector<std::size_t>& queries) {
  Window window;
  window.tokens.assign(tokens.begin(), tokens.end());
  Watch watch;
  watch.block = [&](std::size_t, auto input, auto ln_1, auto qkv) {
    window.input.emplace_back(input.begin(), input.end());
    window.ln_1.emplace_back(ln_1.begin(), ln_1.end());
    window.qkv.emplace_back(qkv.begin(), qkv.end());
  };
  watch.row = [&](std::size_t layer, std::size_t head, std::size_t query, auto logits, auto weights) {
    if (std::find(queries.begin(), queries.end(), query) == queries.end()) return;
    window.rows[{layer, head, query}] = {{logits.begin(), logits.end()}, {weights.begin(), weights.end()}};
  };
  const auto hidden = forward(model, tokens, normalizer, watch);
  window.next = next_tokens(model, hidden, tokens);
  return window;
}

const Window& window0() {
  static const Window window = run_window(tiny(), std::span(sample_tokens()).first(tiny().shape.T), built_in_softmax(),
                                          {31, 63, 127, 255, 511, 767, 1023});
  return window;
}

}  // namespace attncert
