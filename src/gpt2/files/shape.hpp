// Shape: the sizes of a GPT-2 under the field's letters, read from config.json. The one place that defines them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert {

struct Shape {
  // B, the windows that run at a time, is always 1 here.
  std::size_t T = 0;   // tokens of a window (n_positions, or n_ctx where that is missing)
  std::size_t C = 0;   // width of a token in the residual stream (n_embd)
  std::size_t V = 0;   // entries of the vocabulary (vocab_size)
  std::size_t L = 0;   // blocks (n_layer)
  std::size_t NH = 0;  // heads of a block (n_head); divides C
  std::size_t F = 0;   // width inside the feed-forward layer (n_inner, 4C unless given)
  float layer_norm_epsilon = 0;
  bool tied = true;  // the output embedding is the input embedding (tie_word_embeddings)

  std::size_t head_size() const { return C / NH; }
};

// Refuses configurations whose mathematics is not plain GPT-2 (another activation, scaling by layer, ...).
Result<Shape> shape_from_config(std::string_view text, const std::string& where);

}  // namespace attncert
