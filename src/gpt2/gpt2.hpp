// Gpt2: a model ready to run, from a folder in HuggingFace's layout: config.json, model.safetensors (or its shards and
// their index), merges.txt, and vocab.json unless it follows from the merges.
#pragma once

#include <filesystem>

#include "src/core/result.hpp"
#include "src/gpt2/checkpoint.hpp"
#include "src/gpt2/files/shape.hpp"
#include "src/gpt2/files/tokenizer.hpp"

namespace attncert {

struct Gpt2 {
  Shape shape;
  Checkpoint checkpoint;
  Tokenizer tokenizer;
};

Result<Gpt2> load(const std::filesystem::path& folder);

}  // namespace attncert
