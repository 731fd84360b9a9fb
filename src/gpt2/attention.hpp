// Causal self-attention of one block: z_qk = q . k / sqrt(head size) for k <= q, weights = normalizer(z_q), sum of
// weights times values (Vaswani et al. 2017, section 3.2.1; every head a slice of the width).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "src/gpt2/files/shape.hpp"
#include "src/gpt2/normalizer.hpp"

namespace attncert {

// Queries at a time: 64 x 1024 logits of f64 are 512 kB, a second-level cache.
inline constexpr std::size_t attention_block_rows = 64;

// Sees rows: logits and weights have length query + 1. Ordered by (head, query).
using RowWatch = std::function<void(std::size_t head, std::size_t query, std::span<const float> logits,
                                    std::span<const float> weights)>;

// qkv: tokens x 3C; output: tokens x C, the heads side by side, or empty: the weights are all that is wanted.
// `watch` may be empty; it sees the rows of `watched`, ascending and below the tokens. Outputs are those
// of src/attention, the rows that are watched are computed besides.
void causal_attention(const Shape& shape, std::span<const float> qkv, const RowNormalizer& normalizer,
                      const RowWatch& watch, std::span<const std::size_t> watched, std::span<float> output);

}  // namespace attncert
