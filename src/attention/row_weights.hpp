// Attention whose weights are any function of a row of scores, as sparsemax or entmax: o_i = sum_j w_ij v_j.
#pragma once

#include <functional>
#include <span>

#include "attncert/attention.h"

namespace attncert {

// Writes as many weights as there are scores; the two never overlap. Where it throws std::bad_alloc the call answers
// NO_RESOURCES, with the rows before written.
using RowWeights = std::function<void(std::span<const float> scores, std::span<float> weights)>;

// As attention() (src/attention/attention.hpp) but for the weights, which `weights` makes of the scores of the keys
// that a row keeps, in their order; a row without one has o = 0. Slower than softmax's way: rows are whole, tile_rows
// of them in memory. There is no LSE and no sink: BAD_ARGUMENT where one is asked for. f32 throughout; where weights
// are those of an f32 softmax the class is f32-unfused.
attncert_attention_status attention_with(const attncert_attention_arguments& arguments, attncert_dtype dtype,
                                         const RowWeights& weights);

}  // namespace attncert
