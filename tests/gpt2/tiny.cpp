#include "tests/gpt2/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "src/gpt2/normalizer.hpp"

namespace attncert {

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
