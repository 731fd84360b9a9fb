// The layers of a GPT-2 block that act on each token alone, on row-major matrices of f32 (a token is a row).
#pragma once

#include <span>

#include "src/gpt2/checkpoint.hpp"

namespace attncert {

// y = gain (x - mean) / sqrt(variance + epsilon) + bias, row by row; the variance divides by C (Ba et al. 2016).
void layer_norm(std::span<const float> input, const LayerNorm& layer, float epsilon, std::span<float> output);

// y = x W + b.
void linear(std::span<const float> input, const Linear& layer, std::span<float> output);

// y = x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 in place: GPT-2's activation (Hendrycks and Gimpel 2016).
void gelu_new(std::span<float> values);

void add(std::span<const float> what, std::span<float> to);  // to += what

}  // namespace attncert
