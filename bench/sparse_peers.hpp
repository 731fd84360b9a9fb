// Textbook sparsemax and entmax of f32 rows at T = 1: what the kernels are measured against. By sorting (std::sort):
// alpha 2 and 3/2; by bisection on the threshold: any alpha. Written plainly, in double where a sum needs it.
#pragma once

#include <cstddef>

namespace attncert::bench {

void sorted_sparsemax(const float* x, float* y, std::size_t rows, std::size_t length);
void sorted_entmax15(const float* x, float* y, std::size_t rows, std::size_t length);
void bisected_entmax(const float* x, float* y, std::size_t rows, std::size_t length, double alpha);

}  // namespace attncert::bench
