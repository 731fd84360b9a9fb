#include "properties/conformance/attention/attention_faults.hpp"

#include <vector>

#include "properties/conformance/attention/blockwise_attention.hpp"

namespace attncert {
namespace {

template <AttentionForm kForm>
attncert_attention_status run(const attncert_attention_arguments* arguments) {
  return blockwise_attention(*arguments, kForm);
}

template <AttentionForm kForm>
const attncert_attention_kernel* kernel(const char* name, const char* rounding) {
  static const attncert_attention_kernel descriptor{
      ATTNCERT_ATTENTION_ABI,
      sizeof(attncert_attention_kernel),
      name,
      rounding,
      "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,batches,nan-padding,value-size,empty-rows",
      kForm.dtype,
      kForm.dtype,
      8,  // of heads: what faults get wrong does not depend on it, and the truth of a case takes as much less
      0,
      run<kForm>,
      nullptr,
      kForm.dtype};
  return &descriptor;
}

template <AttentionForm kForm>
Fault wrong(const char* name, const char* group, const char* text, const char* imitates) {
  const bool half = kForm.dtype == ATTNCERT_BF16;
  Fault fault{name, text, imitates};
  fault.attention = kernel<kForm>(name, half ? "pbf16" : kForm.parts == 1 ? "f32" : "f32-split-3");
  fault.case_name = group;
  return fault;
}

// bf16 in and out, as kernels are mostly run.
constexpr AttentionForm with(Flaw flaw) { return {.flaw = flaw}; }
constexpr AttentionForm in_threes(Flaw flaw) { return {.flaw = flaw, .block = 3}; }
constexpr AttentionForm in_parts(Flaw flaw) { return {.flaw = flaw, .parts = 3}; }
// What a kernel of bf16 may do, and one of f32 may not.
constexpr AttentionForm in_f32(Flaw flaw) { return {.dtype = ATTNCERT_F32, .flaw = flaw}; }
constexpr AttentionForm f32_in_parts(Flaw flaw) { return {.dtype = ATTNCERT_F32, .flaw = flaw, .parts = 3}; }

template <AttentionForm kForm>
Fault right(const char* name, const char* rounding, const char* text) {
  Fault made{name, text, ""};
  made.attention = kernel<kForm>(name, rounding);
  made.wrong = false;
  return made;
}

using F = Flaw;
using Faults = std::vector<Fault>;
constexpr const char *rescaling = "class: rescaling", *starts = "class: where the maximum starts",
                     *edges = "class: edges", *narrow = "class: narrower arithmetic than declared";

Faults of_rescaling() {
  return {wrong<with(F::output_not_rescaled)>("fault.attention-output-not-rescaled", "steps",
                                              "O keeps its scale where the maximum rises", rescaling),
          wrong<with(F::sum_not_rescaled)>("fault.attention-sum-not-rescaled", "steps",
                                           "the sum keeps its scale where the maximum rises", rescaling),
          wrong<with(F::divided_every_block)>("fault.attention-divided-every-block", "steps",
                                              "O is divided by the sum after each block", rescaling),
          wrong<with(F::small_blocks_skipped)>("fault.attention-small-blocks-skipped", "steps",
                                               "blocks 4 below the maximum are left out", rescaling)};
}

Faults of_lse() {
  return {wrong<with(F::lse_stale_maximum)>("fault.attention-lse-stale-maximum", "steps",
                                            "LSE is made with the first block's maximum", "class: the LSE"),
          wrong<with(F::lse_base_2)>("fault.attention-lse-base-2", "edges", "LSE is a logarithm of base 2",
                                     "pytorch/pytorch#181645"),
          wrong<with(F::lse_without_maximum)>("fault.attention-lse-without-maximum", "far",
                                              "LSE is the logarithm of the shifted sum", "class: the LSE"),
          wrong<with(F::lse_unscaled)>("fault.attention-lse-unscaled", "far", "LSE has the unscaled maximum",
                                       "class: the LSE"),
          wrong<with(F::lse_of_previous_row)>("fault.attention-lse-of-previous-row", "random",
                                              "each row has the LSE of the row before", "class: the LSE"),
          wrong<with(F::lse_clamped)>("fault.attention-lse-clamped", "far", "LSE is clamped to +-88", "class: the LSE"),
          wrong<in_parts(F::lse_of_last_part)>("fault.attention-lse-of-last-part", "random",
                                               "LSE is that of the last part of the keys", "class: the LSE"),
          wrong<with(F::lse_transposed)>("fault.attention-lse-transposed", "random",
                                         "LSE is laid out by query, then head", "class: the LSE"),
          wrong<with(F::lse_without_sink)>("fault.attention-lse-without-sink", "sinks", "LSE leaves the sink out",
                                           "class: the LSE")};
}

Faults of_maxima_and_masks() {
  return {
      wrong<with(F::maximum_from_zero)>("fault.attention-maximum-from-zero", "far", "the maximum starts at 0", starts),
      wrong<with(F::maximum_from_ten)>("fault.attention-maximum-from-ten", "far", "the maximum starts at 10", starts),
      wrong<with(F::maximum_of_masked)>("fault.attention-maximum-of-masked", "masked",
                                        "masked keys count in the maximum", starts),
      wrong<with(F::no_maximum)>("fault.attention-no-maximum", "far", "no maximum is subtracted", starts),
      wrong<with(F::mask_inverted)>("fault.attention-mask-inverted", "masked", "the mask keeps what it removes",
                                    "class: masks"),
      wrong<with(F::window_ignored)>("fault.attention-window-ignored", "masked", "the window is not applied",
                                     "class: masks"),
      wrong<with(F::length_of_first_batch)>("fault.attention-length-of-first-batch", "batches",
                                            "every batch has the first one's length", "class: addresses"),
      wrong<with(F::values_of_first_batch)>("fault.attention-values-of-first-batch", "batches",
                                            "every batch reads the first one's values", "class: addresses"),
      wrong<with(F::first_kv_head)>("fault.attention-first-kv-head", "heads", "every head reads the first KV head",
                                    "class: addresses"),
      wrong<with(F::values_shortened)>("fault.attention-values-shortened", "random", "the last channel is 0", edges),
      wrong<with(F::mask_adds)>("fault.attention-mask-adds", "masked", "a mask adds -10000",
                                "microsoft/onnxruntime#14363"),
      wrong<with(F::causal_by_one)>("fault.attention-causal-by-one", "corners", "the causal diagonal is one key short",
                                    edges),
      wrong<with(F::corner)>("fault.attention-corner", "corners", "causal from the top left", "onnx/onnx#8068"),
      wrong<with(F::window_by_one)>("fault.attention-window-by-one", "masked", "the window is one key longer", edges),
      wrong<with(F::tail_dropped)>("fault.attention-tail-dropped", "edges", "the last block is left out", edges),
      wrong<with(F::tail_of_zeros)>("fault.attention-tail-of-zeros", "edges",
                                    "the last block is filled up with scores of 0", edges),
      wrong<with(F::stale_value)>("fault.attention-stale-value", "edges",
                                  "the last key has the value of the one before", edges),
      wrong<with(F::heads_modulo)>("fault.attention-heads-modulo", "heads",
                                   "query head h reads KV head h mod their number", "class: addresses"),
      wrong<with(F::nan_in_padding)>("fault.attention-nan-in-padding", "padding", "padding counts with weight 0",
                                     "class: masks"),
      wrong<with(F::infinity_minus_infinity)>("fault.attention-infinity-minus-infinity", "masked",
                                              "a first block without a key makes NaN", starts),
      wrong<with(F::empty_row_nan)>("fault.attention-empty-row-nan", "empty-rows", "a row without a key is NaN",
                                    "class: masks"),
      wrong<with(F::empty_row_lse_zero)>("fault.attention-empty-row-lse-zero", "empty-rows",
                                         "a row without a key has an LSE of 0", "class: the LSE"),
      wrong<with(F::heads_shortened)>("fault.attention-heads-shortened", "random",
                                      "the last entry of a head is not multiplied", edges),
      wrong<with(F::queries_unwritten)>("fault.attention-queries-unwritten", "random",
                                        "queries behind the last four are not written", edges)};
}

Faults of_order_and_sinks() {
  constexpr const char *order = "class: order", *sink = "class: sinks";
  return {
      wrong<with(F::cap_before_scale)>("fault.attention-cap-before-scale", "softcaps", "softcap, then scale", order),
      wrong<with(F::cap_after_bias)>("fault.attention-cap-after-bias", "softcaps", "bias, then softcap",
                                     "microsoft/onnxruntime#28370"),
      wrong<with(F::cap_after_mask)>("fault.attention-cap-after-mask", "softcaps",
                                     "masked scores become those of -C by the softcap", order),
      wrong<with(F::cap_not_multiplied)>("fault.attention-cap-not-multiplied", "softcaps",
                                         "tanh of the score over the cap, not multiplied by it", order),
      wrong<with(F::scale_of_values)>("fault.attention-scale-of-values", "value-sizes",
                                      "the scale is that of the values' size", order),
      wrong<with(F::bias_of_first_row)>("fault.attention-bias-of-first-row", "softcaps",
                                        "every row has the first one's bias", "class: addresses"),
      wrong<with(F::bias_scaled)>("fault.attention-bias-scaled", "softcaps", "the bias is scaled as well", order),
      wrong<with(F::slope_sign)>("fault.attention-slope-sign", "corners", "ALiBi's slope has the other sign", order),
      wrong<with(F::slope_corner)>("fault.attention-slope-corner", "corners", "ALiBi's distance is from the top left",
                                   order),
      wrong<with(F::no_sink)>("fault.attention-no-sink", "sinks", "the sink is not read",
                              "NVIDIA/TransformerEngine#2541"),
      wrong<with(F::sink_twice)>("fault.attention-sink-twice", "sinks", "the sink counts twice", sink),
      wrong<with(F::sink_scaled)>("fault.attention-sink-scaled", "sinks", "the sink is scaled", sink)};
}

Faults of_parts() {
  constexpr const char* merge = "class: splits";
  return {wrong<in_parts(F::sink_in_every_part)>("fault.attention-sink-in-every-part", "sinks",
                                                 "each part has the sink", merge),
          wrong<with(F::sink_not_in_maximum)>("fault.attention-sink-not-in-maximum", "sinks",
                                              "the sink does not count in the maximum, and overflows", "class: sinks"),
          wrong<in_parts(F::empty_part_counts)>("fault.attention-empty-part-counts", "masked",
                                                "parts without keys have weight 1", merge),
          wrong<in_parts(F::merged_in_base_2)>("fault.attention-merged-in-base-2", "random",
                                               "parts are merged by 2^LSE", "sgl-project/sglang#35045"),
          wrong<in_parts(F::merged_by_maxima)>("fault.attention-merged-by-maxima", "random",
                                               "parts are merged by their maxima", merge),
          wrong<f32_in_parts(F::parts_bf16)>("fault.attention-parts-bf16", "cancelling", "outputs of parts in bf16",
                                             merge)};
}

Faults of_precision() {
  return {
      wrong<with(F::scores_bf16)>("fault.attention-scores-bf16", "random", "scores in bf16", narrow),
      wrong<with(F::scores_f16)>("fault.attention-scores-f16", "random", "scores in f16", narrow),
      wrong<with(F::sum_f16)>("fault.attention-sum-f16", "random", "the running sum in f16", "oneapi-src/oneDNN#1819"),
      wrong<with(F::sum_bf16)>("fault.attention-sum-bf16", "random", "the running sum in bf16", narrow),
      wrong<in_threes(F::output_bf16)>("fault.attention-output-bf16", "equal", "O in bf16 after each block", narrow),
      wrong<with(F::constant_f16)>("fault.attention-constant-f16", "random", "log2 e in f16", narrow),
      wrong<with(F::output_f16)>("fault.attention-output-f16", "equal", "O summed in f16", "oneapi-src/oneDNN#1819"),
      wrong<in_f32(F::weights_bf16)>("fault.attention-weights-bf16", "one-hot", "weights in bf16, of f32 inputs",
                                     narrow),
      wrong<with(F::weights_cut)>("fault.attention-weights-cut", "one-hot", "weights cut to bf16", narrow),
      wrong<with(F::weights_e4m3)>("fault.attention-weights-e4m3", "one-hot", "weights of 4 bits", narrow),
      wrong<with(F::coarse_exponential)>("fault.attention-coarse-exponential", "random", "exponentials 0.1% off",
                                         narrow)};
}

Faults right_ones() {
  constexpr AttentionForm plain{}, backwards{.block = 7, .descending = true}, whole{.block = 1'000'000},
      split{.dtype = ATTNCERT_F32, .block = 8, .parts = 3}, lazy{.lazy = 4}, f32{.dtype = ATTNCERT_F32},
      rounded{.dtype = ATTNCERT_F32, .base_2 = true, .f32 = true}, narrow_weights{.bf16_weights = true},
      rounded_sum{.bf16_weights = true, .rounded_sum = true}, f16{.dtype = ATTNCERT_F16},
      three_pass{.dtype = ATTNCERT_F32, .block = 1'000'000, .f32 = true},
      sorted{.dtype = ATTNCERT_F32, .block = 1'000'000, .sorted = true, .f32 = true},
      one_key{.dtype = ATTNCERT_F32, .block = 1, .f32 = true},
      from_the_end{.dtype = ATTNCERT_F32, .block = 7, .descending = true, .f32 = true},
      fused{.dtype = ATTNCERT_F32, .fma = true, .f32 = true},
      eight_parts{.dtype = ATTNCERT_F32, .block = 4, .parts = 8, .f32 = true};
  return {right<plain>("right.attention-blocks", "pbf16", "blocks of 16 keys"),
          right<backwards>("right.attention-backwards", "pbf16", "blocks of 7 keys, the last first"),
          right<whole>("right.attention-one-block", "pbf16", "all keys at once"),
          right<lazy>("right.attention-lazy", "pbf16", "the pivot lags behind the maximum by up to 4"),
          right<narrow_weights>("right.attention-weights-bf16", "pbf16", "weights in bf16, the sum of unrounded ones"),
          right<rounded_sum>("right.attention-rounded-sum", "pbf16-rounded-sum", "weights in bf16, and their sum"),
          right<f32>("right.attention-f32", "f32", "f32, blocks of 16 keys"),
          right<split>("right.attention-split", "f32-split-3", "three parts"),
          right<f16>("right.attention-f16", "pf16", "f16, blocks of 16 keys"),
          right<three_pass>("right.attention-three-pass", "f32-three-pass", "every operation in f32, all keys at once"),
          right<sorted>("right.attention-sorted", "f32-three-pass", "the same, the smallest score first"),
          right<one_key>("right.attention-one-key", "f32", "every operation in f32, one key at a time"),
          right<from_the_end>("right.attention-f32-backwards", "f32", "every operation in f32, the last block first"),
          right<fused>("right.attention-fma", "f32", "every operation in f32, products fused with sums"),
          right<eight_parts>("right.attention-eight-parts", "f32-split-8", "every operation in f32, eight parts"),
          right<rounded>("right.attention-base-2", "f32", "every operation in f32, exponentials by 2^x")};
}

}  // namespace

std::span<const Fault> attention_faults() {
  static const Faults list = [] {
    Faults all;
    for (const auto kind :
         {of_rescaling, of_lse, of_maxima_and_masks, of_order_and_sinks, of_parts, of_precision, right_ones})
      for (const Fault& fault : kind()) all.push_back(fault);
    for (const Fault& fault : backward_faults()) all.push_back(fault);
    return all;
  }();
  return list;
}

}  // namespace attncert
