// The exponential of the f32 kernels by itself, at the instruction set in force: for the test that certifies it on
// every argument. It is the code of exp-inl.h that the kernels inline, not a copy.
#pragma once

#include <cstddef>

namespace attncert {

// y = exp(x) 2^k for the elements of a row at T = 1 whose largest logit is `largest`, |largest| <= 256; returns k. What
// lies more than 126 below `largest` is taken to lie 126 below it.
int exponentials_of_row(float largest, const float* x, float* y, std::size_t count);

}  // namespace attncert
