// Weights are drawn in the order in which they are stored.
#include "bench/random_gpt2.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "src/core/assert.hpp"
#include "src/gpt2/files/byte_alphabet.hpp"

namespace attncert::bench {
namespace {

constexpr float deviation = 0.02F;
constexpr std::size_t bytes = 256;

class Weights {
 public:
  explicit Weights(std::uint64_t seed) : engine_(seed) {}

  std::vector<float> normal(std::size_t count, float smaller_by = 1) {
    std::normal_distribution<float> distribution(0, deviation / smaller_by);
    std::vector<float> values(count);
    for (float& value : values) value = distribution(engine_);
    return values;
  }
  Linear linear(std::size_t in, std::size_t out, float smaller_by = 1) {
    return {normal(in * out, smaller_by), std::vector<float>(out, 0.0F)};
  }

 private:
  std::mt19937_64 engine_;
};

// The two bytes of the k-th merge.
std::pair<std::string, std::string> merge(std::size_t k) {
  return {token_of_byte(static_cast<std::uint8_t>(k / bytes)), token_of_byte(static_cast<std::uint8_t>(k % bytes))};
}

std::string token_text(std::size_t token) {
  if (token < bytes) return token_of_byte(static_cast<std::uint8_t>(token));
  const auto [left, right] = merge(token - bytes);
  return left + right;
}

void check(std::size_t vocabulary) { ATTNCERT_ASSERT(vocabulary >= bytes && vocabulary <= bytes + bytes * bytes); }

}  // namespace

Shape gpt2_shape(std::size_t layers, std::size_t heads, std::size_t width, std::size_t context,
                 std::size_t vocabulary) {
  ATTNCERT_ASSERT(width % heads == 0);
  Shape shape;
  shape.T = context;
  shape.C = width;
  shape.V = vocabulary;
  shape.L = layers;
  shape.NH = heads;
  shape.F = 4 * width;
  shape.layer_norm_epsilon = 1e-5F;
  return shape;
}

Checkpoint random_checkpoint(const Shape& shape, std::uint64_t seed) {
  const std::size_t C = shape.C;
  const float depth = std::sqrt(2 * static_cast<float>(shape.L));
  const LayerNorm identity{std::vector<float>(C, 1.0F), std::vector<float>(C, 0.0F)};
  Weights weights(seed);
  Checkpoint checkpoint;
  checkpoint.wte = weights.normal(shape.V * C);
  checkpoint.wpe = weights.normal(shape.T * C);
  for (std::size_t layer = 0; layer < shape.L; ++layer) {
    Block block;
    block.ln_1 = block.ln_2 = identity;
    block.qkv = weights.linear(C, 3 * C);
    block.projection = weights.linear(C, C, depth);
    block.expand = weights.linear(C, shape.F);
    block.contract = weights.linear(shape.F, C, depth);
    checkpoint.blocks.push_back(std::move(block));
  }
  checkpoint.ln_f = identity;
  if (!shape.tied) checkpoint.lm_head = weights.normal(shape.V * C);
  return checkpoint;
}

std::string vocabulary_json(std::size_t vocabulary) {
  check(vocabulary);
  std::string text = "{";
  for (std::size_t token = 0; token < vocabulary; ++token) {
    text += token == 0 ? "\"" : ", \"";
    for (const char c : token_text(token)) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += fmt::format("\": {}", token);
  }
  return text + "}\n";
}

std::string merges_text(std::size_t vocabulary) {
  check(vocabulary);
  std::string text = "#version: 0.2\n";
  for (std::size_t k = 0; k < vocabulary - bytes; ++k) {
    const auto [left, right] = merge(k);
    text += fmt::format("{} {}\n", left, right);
  }
  return text;
}

Gpt2 random_gpt2(const Shape& shape, std::uint64_t seed) {
  const std::string vocabulary = vocabulary_json(shape.V), merges = merges_text(shape.V);
  auto tokenizer = Tokenizer::make({vocabulary, "vocab.json"}, {merges, "merges.txt"}, shape.V);
  ATTNCERT_ASSERT(static_cast<bool>(tokenizer));
  return {shape, random_checkpoint(shape, seed), std::move(*tokenizer)};
}

}  // namespace attncert::bench
