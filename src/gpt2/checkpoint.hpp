// Checkpoint: the weights of a GPT-2 in f32, row-major. HuggingFace's Conv1D stores a linear layer as [in, out]:
// y = x W + b. All shapes are compared with the configuration before any value is read; then one tensor
// at a time is converted from the mapped files, so that no more than the weights in f32 is held.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "src/core/result.hpp"
#include "src/gpt2/files/shape.hpp"

namespace attncert {

struct LayerNorm {
  std::vector<float> gain, bias;  // [C]
};

struct Linear {
  std::vector<float> weight;  // [in, out]
  std::vector<float> bias;    // [out]
};

struct Block {
  LayerNorm ln_1;
  Linear qkv;         // [C, 3C]: queries, keys, values of all heads side by side
  Linear projection;  // [C, C]
  LayerNorm ln_2;
  Linear expand;    // [C, F]
  Linear contract;  // [F, C]
};

struct Checkpoint {
  std::vector<float> wte;  // [V, C] token embedding
  std::vector<float> wpe;  // [T, C] position embedding
  std::vector<Block> blocks;
  LayerNorm ln_f;
  std::vector<float> lm_head;  // [V, C]; empty when tied to wte
};

Result<Checkpoint> read_checkpoint(const std::filesystem::path& folder, const Shape& shape);

}  // namespace attncert
