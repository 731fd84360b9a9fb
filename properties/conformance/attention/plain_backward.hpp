// The backward pass of attention, as kernels have it that rebuild their weights from the LSE, in doubles: right in
// every form, and wrong in one way where `flaw` says so.
#pragma once

#include <cstdint>

#include "attncert/attention.h"

namespace attncert {

enum class BackwardFlaw : std::uint8_t {
  none,
  // D, the row's sum of dO O.
  no_D,
  D_of_row_before,
  D_added,
  D_bf16,
  // The scale.
  dq_unscaled,
  dk_unscaled,
  dq_scaled_twice,
  dropout_scale,
  // What counts.
  last_query_missing,
  tail_of_queries_missing,
  first_key_of_tile_missing,
  one_head_of_a_group,
  last_head_overwrites,
  mean_over_heads,
  causal_missing,
  corner,
  window_by_one,
  mask_missing,
  padding_counts,
  // Scores once more.
  softcap_slope_missing,
  softcap_missing,
  bias_missing,
  slopes_missing,
  scores_f16,
  lse_of_row_before,
  lse_of_first_row,
  lse_base_2,
  // Sinks.
  sink_absent,
  dsinks_sign,
  dsinks_of_last_batch,
  dsinks_of_all_heads,
  // Narrow arithmetic.
  dq_bf16,
  dk_bf16,
  weights_cut
};

// A structural type, so that each form is a function of its own, as the ABI wants it.
struct BackwardForm {
  attncert_dtype dtype = ATTNCERT_BF16;
  BackwardFlaw flaw = BackwardFlaw::none;
  bool unfused = false;    // weights and D of its own softmax
  bool narrow = false;     // weights and dS rounded to bf16 before they meet rows of tensors
  bool tensors = false;    // each tensor between two operations rounded to dtype, as a plain pass in PyTorch has it
  bool f32 = false;        // every operation rounded to f32, else only the gradients
  bool backwards = false;  // rows are added from the last to the first, as where blocks of keys go that way
};

attncert_attention_status plain_backward(const attncert_attention_arguments& arguments,
                                         const attncert_attention_gradients& gradients, const BackwardForm& form);

}  // namespace attncert
