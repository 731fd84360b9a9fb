// What is done with one block of keys: products of queries and keys, the scores' way to weights, products of weights
// and values. All f32; each element by the same operations in the same order, however many rows are given.
#pragma once

#include <cstddef>

namespace attncert {

inline constexpr std::size_t block_keys = 64;  // B of the class; a multiple of every vector
// Values are padded to so many channels: no f32 vector of any instruction set that is compiled has more lanes.
inline constexpr std::size_t channel_multiple = 16;

// scores[r][j] = scale sum_e queries[r][e] keys[e][j], e ascending. queries: rows x size; keys: size x block_keys, the
// block transposed; scores: rows x block_keys.
void multiply_keys(const float* queries, std::size_t rows, std::size_t size, const float* keys, float scale,
                   float* scores);

// Of `count` scores, a multiple of block_keys: cap tanh(x / cap) where cap > 0, else as they are.
void cap_scores(float* scores, std::size_t count, float cap);

// What a row has summed: the largest score, and the sum of exponentials below it. Nothing yet: -inf and 0.
struct RowSum {
  float largest, sum;
};
// A block of scores, rows x block_keys, -inf where a key is removed, becomes exponentials below each row's new largest
// score. factors: what each row's sums so far are to be multiplied with; exactly 1 where its largest score stays.
void absorb_scores(float* scores, std::size_t rows, RowSum* sums, float* factors);
float absorb_sink(float sink, RowSum& row);

struct ValueBlock {
  const float* values;         // block_keys x channels
  std::size_t keys, channels;  // how many keys there are; a multiple of channel_multiple
  bool finite;                 // where they are not all finite, values of weight 0 are not looked at
};
// output[r][c] = output[r][c] rescale[r] + sum_j weights[r][j] values[j][c], j ascending. weights: rows x block_keys;
// output: rows x channels.
void add_values(const float* weights, std::size_t rows, const ValueBlock& block, const float* rescale, float* output);

// Backward. Scores of a row's block, -inf where a key is removed, become weights e^(score - lse); lse is finite.
void weigh_scores(float* scores, float lse);
// slopes[j] = 1 - (capped[j] / cap)^2; of `count` scores, a multiple of block_keys.
void softcap_slopes(const float* capped, std::size_t count, float cap, float* slopes);
// Of a row's block: gradients[j], dO . v_j, becomes weights[j] (gradients[j] - D) slopes[j], 0 where the weight is 0.
// slopes: null where there is no softcap.
void score_gradients(const float* weights, float D, const float* slopes, float* gradients);
// output[j][c] += sum_r weights[r][j] rows[r][c], r ascending, for all block_keys keys. weights: count x block_keys;
// rows: count x channels, finite; output: block_keys x channels.
void add_rows_to_keys(const float* weights, const float* rows, std::size_t count, std::size_t channels, float* output);

}  // namespace attncert
