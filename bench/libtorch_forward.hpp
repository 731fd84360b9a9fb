// The blocks of GPT-2 as HuggingFace's eager GPT2Model runs them, by libtorch on one thread: an optional peer
// (bench/CMakeLists.txt). In C++17, as libtorch's headers are.
#pragma once

#include <vector>

#include "src/gpt2/checkpoint.hpp"
#include "src/gpt2/files/shape.hpp"

namespace attncert::bench {

// From wte + wpe of the tokens to LN_f of the last residual stream, both tokens x C.
std::vector<float> libtorch_forward(const Shape& shape, const Checkpoint& checkpoint,
                                    const std::vector<float>& embedded);

}  // namespace attncert::bench
