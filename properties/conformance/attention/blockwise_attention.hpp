// Attention over blocks of keys with a running maximum, as fused kernels compute it, in doubles or in f32: right in
// every form, and wrong in one way where `flaw` says so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attncert/attention.h"

namespace attncert {

enum class Flaw : std::uint8_t {
  none,
  // Rescaling.
  output_not_rescaled,
  sum_not_rescaled,
  divided_every_block,
  small_blocks_skipped,
  weights_in_other_frame,
  // The LSE.
  lse_stale_maximum,
  lse_base_2,
  lse_without_maximum,
  lse_unscaled,
  lse_of_previous_row,
  lse_without_sink,
  lse_clamped,
  lse_transposed,
  lse_of_last_part,
  // Where the maximum starts, and over what it is taken.
  maximum_from_zero,
  maximum_from_ten,
  maximum_from_minus_10_000,
  maximum_from_minus_50_000,
  maximum_of_masked,
  no_maximum,
  // Which keys count.
  mask_adds,
  hidden_filled,
  causal_by_one,
  corner,
  window_by_one,
  tail_dropped,
  tail_of_zeros,
  stale_value,
  heads_modulo,
  first_kv_head,
  head_by_stride_of_queries,
  offset_of_16_bits,
  address_of_16_bytes,
  values_of_first_batch,
  length_of_first_batch,
  window_ignored,
  mask_inverted,
  values_shortened,
  nan_in_padding,
  infinity_minus_infinity,
  heads_shortened,
  queries_unwritten,
  // The order of a score's parts.
  cap_before_scale,
  cap_after_bias,
  cap_after_mask,
  cap_not_multiplied,
  bias_scaled,
  bias_of_first_row,
  scale_of_values,
  slope_sign,
  slope_corner,
  // Sinks.
  no_sink,
  sink_twice,
  sink_scaled,
  sink_in_every_part,
  sink_not_in_maximum,
  // Parts and their merge.
  empty_part_counts,
  merged_in_base_2,
  merged_by_maxima,
  parts_bf16,
  sink_in_no_part,
  empty_part_nan,
  outputs_of_parts_reversed,
  // Rows without a key.
  empty_row_nan,
  empty_row_lse_zero,
  empty_row_lse_infinite,
  // Narrower arithmetic than declared.
  scores_bf16,
  scores_f16,
  sum_f16,
  sum_bf16,
  output_f16,
  output_bf16,
  constant_f16,
  weights_bf16,
  weights_cut,
  weights_e4m3,
  coarse_exponential
};

// A structural type, so that each form is a function of its own, as the ABI wants it.
struct AttentionForm {
  attncert_dtype dtype = ATTNCERT_BF16;
  Flaw flaw = Flaw::none;
  std::size_t block = 16;     // keys at a time
  std::size_t parts = 1;      // so many parts of the keys, each with a state of its own, merged by their LSE
  int lazy = 0;               // the pivot follows the maximum only where it is farther behind
  bool descending = false;    // the last block first
  bool base_2 = false;        // exponentials by 2^x
  bool fma = false;           // products are not rounded before they are added
  bool fma_pivot = false;     // x log2 e - m log2 e by FMA, of a product m log2 e that was rounded
  bool pairwise = false;      // sums by halves, each block's apart from the running ones
  bool tree = false;          // parts are merged two by two
  bool sorted = false;        // keys of a block by their score, the smallest first
  bool bf16_weights = false;  // rounded before they meet the values; the sum has them as they were,
  bool rounded_sum = false;   // or as they are then
  bool f32 = false;           // every operation rounded to f32, else only the outputs
};

attncert_attention_status blockwise_attention(const attncert_attention_arguments& arguments, const AttentionForm& form);

}  // namespace attncert
