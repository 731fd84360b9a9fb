// A GPT-2 of any size with random weights, the same for the same seed: what can be measured and tested where no real
// weights are. Initialised as HuggingFace does: N(0, 0.02^2), gains 1, biases 0, and what is added to the residual
// stream smaller by sqrt(2 L) (Radford et al. 2019, section 2.3).
#pragma once

#include <cstdint>
#include <string>

#include "src/gpt2/gpt2.hpp"

namespace attncert::bench {

// F = 4C, a tied head, and GPT-2's epsilon.
Shape gpt2_shape(std::size_t layers, std::size_t heads, std::size_t width, std::size_t context, std::size_t vocabulary);

Checkpoint random_checkpoint(const Shape& shape, std::uint64_t seed);

// The 256 bytes, then merges of two bytes each, in order: from 256 to 256 + 65,536 entries (asserted).
std::string vocabulary_json(std::size_t vocabulary);
std::string merges_text(std::size_t vocabulary);

Gpt2 random_gpt2(const Shape& shape, std::uint64_t seed);

}  // namespace attncert::bench
