// Attention as libtorch's CPU has it, scaled_dot_product_attention on one thread: an optional peer
// (bench/CMakeLists.txt). In C++17, as libtorch's headers are.
#pragma once

#include <cstddef>

namespace attncert::bench {

// q, k, v and o: heads x length x size, f32; the scale is 1 / sqrt(size).
void libtorch_attention(const float* q, const float* k, const float* v, std::size_t heads, std::size_t length,
                        std::size_t size, bool causal, float* o);

}  // namespace attncert::bench
