// The forward pass of GPT-2 (Radford et al. 2019) over one window, f32: x = wte + wpe; then for every block
// x += attention(LN1(x)), x += mlp(LN2(x)); LN_f.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "src/gpt2/gpt2.hpp"
#include "src/gpt2/normalizer.hpp"

namespace attncert {

// What a caller may see on the way; either function may be empty. Spans live only during the call.
struct Watch {
  // The block's input (tokens x C), LN1 of it (tokens x C), and queries, keys, values (tokens x 3C).
  std::function<void(std::size_t layer, std::span<const float> input, std::span<const float> ln_1,
                     std::span<const float> qkv)>
      block;
  // Attention rows, logits scaled by 1/sqrt(head size), both of length query + 1; by (layer, head, query).
  std::function<void(std::size_t layer, std::size_t head, std::size_t query, std::span<const float> logits,
                     std::span<const float> weights)>
      row;
  // The queries whose rows are seen, ascending and below the tokens; nothing: all.
  std::optional<std::vector<std::size_t>> queries;
  // Nothing after the weights of the last block is computed: forward() gives no hidden state. Captures need no more.
  bool attention_only = false;
};

// Runs 1 .. T tokens, each below V (asserted); gives LN_f of the last residual stream, tokens x C. Several threads may
// run windows of one model at a time.
std::vector<float> forward(const Gpt2& model, std::span<const TokenId> tokens, const RowNormalizer& normalizer,
                           const Watch& watch = {});

}  // namespace attncert
