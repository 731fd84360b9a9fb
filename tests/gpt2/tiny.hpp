// The trained model of data/tiny-gpt2 and its first window of data/sample.txt, run once per test program.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "src/gpt2/forward.hpp"
#include "src/gpt2/gpt2.hpp"

namespace attncert {

std::string data_path(const std::string& name);  // inside data/
std::string file_text(const std::string& path);  // throws when it cannot be read

const Gpt2& tiny();
const std::vector<TokenId>& sample_tokens();  // of the whole sample

// Softmax in plain double, for tests that are about the model and not about the kernel.
void plain_softmax(std::span<const float> logits, std::span<float> weights);

struct Row {
  std::vector<float> logits, weights;
};

struct NextToken {
  TokenId token = 0;           // the one that came
  double log_probability = 0;  // natural logarithm, of the one that came
  TokenId likeliest = 0;       // lowest id among equals
};

struct Window {
  std::vector<TokenId> tokens;
  std::vector<std::vector<float>> input, ln_1, qkv;  // by layer
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, Row>
      rows;  // by (layer, head, query), of the queries kept
  std::vector<NextToken> next;
  const Row& row(std::size_t layer, std::size_t head, std::size_t query) const { return rows.at({layer, head, query}); }
};

Window run_window(const Gpt2& model, std::span<const TokenId> tokens, const RowNormalizer& normalizer,
                  const std::vector<std::size_t>& queries);

// Window 0 of the sample through the built-in kernel, with the rows that the expected files speak of.
const Window& window0();

}  // namespace attncert
