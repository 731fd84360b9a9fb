// Softmax attention, forward with its LSE and backward, as include/attncert/attention.h says it, with every option of
// that header. Blocks of 64 keys in ascending order, online (Milakov & Gimelshein 2018; Dao et al. 2022), each block
// summed apart: the class is f32-block-64 for every format, since scores, weights and sums are f32
// (docs/attention-bounds.md). A row's result depends on its own arguments alone, bit for bit but for the sign of a
// zero; memory is O(keys (head_size + value_size)). Rows with neither a key nor a sink have o = 0 and lse = -inf.
#pragma once

#include <span>

#include "attncert/attention.h"
#include "src/attention/attention_types.hpp"

namespace attncert {

inline constexpr const char* attention_class = "f32-block-64";

attncert_attention_status attention(const attncert_attention_arguments& arguments, const AttentionTypes& types);

// Its gradients, from the o and lse that the arguments hold: the same blocks and class, D = dO . o. Each gradient is
// summed in one order; memory besides is that of dk and dv of a KV head, and of its keys and values once more. Scales
// and eight bits are declined.
attncert_attention_status attention_gradients(const attncert_attention_arguments& arguments,
                                              const attncert_attention_gradients& gradients,
                                              const AttentionTypes& types);

// "attention.f32", "attention.f16", "attention.bf16"; "attention-split.f32", whose keys are in four parts; of q in f32
// and K and V narrower, "attention-f16-kv.f32" and "attention-bf16-kv.f32"; of K and V of eight bits with scales,
// forward alone, "attention-e4m3-kv.bf16" and "attention-e5m2-kv.f16".
std::span<const attncert_attention_kernel* const> attention_kernels();

}  // namespace attncert
