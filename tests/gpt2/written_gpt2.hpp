// A model with random weights (bench/random_gpt2.hpp) as a folder in HuggingFace's layout.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/core/result.hpp"
#include "src/gpt2/files/shape.hpp"

namespace attncert {

// config.json, model.safetensors (f32), vocab.json and merges.txt; the folder is made where it is missing, files of
// these names are written over. No tensor is copied on its way into the file.
Result<Done> write_random_gpt2(const Shape& shape, std::uint64_t seed, const std::filesystem::path& folder);

}  // namespace attncert
