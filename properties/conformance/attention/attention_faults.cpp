#include "properties/conformance/attention/attention_faults.hpp"

#include <vector>

#include "properties/conformance/attention/blockwise_kernel.hpp"

namespace attncert {
namespace {

template <AttentionForm kForm>
Fault wrong(const char* name, const char* group, const char* text, const char* imitates) {
  const char* const of_half = kForm.lazy == 0 ? "pbf16" : "pbf16+lazy=4";
  const char* const of_f32 = kForm.parts == 1 ? "f32" : "f32-split-3";
  Fault fault{name, text, imitates};
  fault.attention = blockwise_kernel<kForm>(name, kForm.dtype == ATTNCERT_BF16 ? of_half : of_f32);
  fault.case_name = group;
  return fault;
}

// bf16 in and out, as kernels are mostly run.
constexpr AttentionForm with(Flaw flaw) { return {.flaw = flaw}; }
constexpr AttentionForm lagging(Flaw flaw) { return {.flaw = flaw, .lazy = 4}; }
constexpr AttentionForm in_threes(Flaw flaw) { return {.flaw = flaw, .block = 3}; }
constexpr AttentionForm in_parts(Flaw flaw) { return {.flaw = flaw, .parts = 3}; }
// What a kernel of bf16 may do, and one of f32 may not.
constexpr AttentionForm in_f32(Flaw flaw) { return {.dtype = ATTNCERT_F32, .flaw = flaw}; }
constexpr AttentionForm f32_in_parts(Flaw flaw) { return {.dtype = ATTNCERT_F32, .flaw = flaw, .parts = 3}; }

using F = Flaw;
using Faults = std::vector<Fault>;

Faults of_rescaling() {
  return {
      wrong<with(F::output_not_rescaled)>("fault.attention-output-not-rescaled", "steps",
                                          "O keeps its scale where the maximum rises", "Dao-AILab/flash-attention#411"),
      wrong<with(F::sum_not_rescaled)>("fault.attention-sum-not-rescaled", "steps",
                                       "the sum keeps its scale where the maximum rises", "KarhouTam/cuda-kernels#3"),
      wrong<with(F::divided_every_block)>("fault.attention-divided-every-block", "steps",
                                          "O is divided by the sum after each block", "Dao-AILab/flash-attention#1349"),
      wrong<with(F::small_blocks_skipped)>("fault.attention-small-blocks-skipped", "steps",
                                           "blocks 4 below the maximum are left out", "sgl-project/sglang#37959"),
      wrong<lagging(F::weights_in_other_frame)>(
          "fault.attention-weights-in-other-frame", "steps",
          "weights are in units of the maximum, O and the sum in those of a pivot that lags behind",
          "ROCm/rocm-libraries#6498")};
}

Faults of_lse() {
  return {
      wrong<with(F::lse_stale_maximum)>("fault.attention-lse-stale-maximum", "steps",
                                        "LSE is made with the first block's maximum", "KarhouTam/cuda-kernels#1"),
      wrong<with(F::lse_base_2)>("fault.attention-lse-base-2", "edges", "LSE is a logarithm of base 2",
                                 "pytorch/pytorch#181645"),
      wrong<with(F::lse_without_maximum)>("fault.attention-lse-without-maximum", "far",
                                          "LSE is the logarithm of the shifted sum", "Dao-AILab/flash-attention#404"),
      wrong<with(F::lse_unscaled)>("fault.attention-lse-unscaled", "far", "LSE has the unscaled maximum",
                                   "HKUSTDial/flash-sparse-attention#228"),
      wrong<with(F::lse_of_previous_row)>("fault.attention-lse-of-previous-row", "random",
                                          "each row has the LSE of the row before", "Dao-AILab/flash-attention#2842"),
      wrong<with(F::lse_clamped)>("fault.attention-lse-clamped", "far", "LSE is clamped to +-88",
                                  "flashinfer-ai/flashinfer#4401"),
      wrong<in_parts(F::lse_of_last_part)>("fault.attention-lse-of-last-part", "random",
                                           "LSE is that of the last part of the keys",
                                           "sgl-project/sgl-kernel-xpu#487"),
      wrong<with(F::lse_transposed)>("fault.attention-lse-transposed", "random", "LSE is laid out by query, then head",
                                     "vllm-project/vllm-xpu-kernels#479"),
      wrong<with(F::lse_without_sink)>("fault.attention-lse-without-sink", "sinks", "LSE leaves the sink out",
                                       "Dao-AILab/flash-attention#2706")};
}

Faults of_maxima() {
  return {wrong<with(F::maximum_from_zero)>("fault.attention-maximum-from-zero", "far", "the maximum starts at 0",
                                            "Dao-AILab/flash-attention#2082"),
          wrong<with(F::maximum_from_ten)>("fault.attention-maximum-from-ten", "far", "the maximum starts at 10",
                                           "pytorch/executorch#18867"),
          wrong<with(F::maximum_from_minus_10_000)>("fault.attention-maximum-from-minus-10000", "far",
                                                    "the maximum starts at -10000", "tracel-ai/burn#4697"),
          wrong<with(F::maximum_from_minus_50_000)>("fault.attention-maximum-from-minus-50000", "far",
                                                    "the maximum starts at -50000", "flashinfer-ai/flashinfer#4267"),
          wrong<with(F::maximum_of_masked)>("fault.attention-maximum-of-masked", "masked",
                                            "masked keys count in the maximum", "ohdearquant/lattice#361"),
          wrong<with(F::no_maximum)>("fault.attention-no-maximum", "far", "no maximum is subtracted",
                                     "uTensor/uTensor#175"),
          wrong<with(F::infinity_minus_infinity)>("fault.attention-infinity-minus-infinity", "masked",
                                                  "a first block without a key makes NaN",
                                                  "flashinfer-ai/flashinfer#4401")};
}

Faults of_masks_and_edges() {
  return {
      wrong<with(F::mask_inverted)>("fault.attention-mask-inverted", "masked", "the mask keeps what it removes",
                                    "lucidrains/x-transformers#160"),
      wrong<with(F::window_ignored)>("fault.attention-window-ignored", "masked", "the window is not applied",
                                     "sgl-project/sglang#26516"),
      wrong<with(F::mask_adds)>("fault.attention-mask-adds", "masked", "a mask adds -10000",
                                "microsoft/onnxruntime#14363"),
      wrong<with(F::hidden_filled)>("fault.attention-hidden-filled", "masked", "hidden scores are -65504",
                                    "huggingface/transformers#17306"),
      wrong<with(F::causal_by_one)>("fault.attention-causal-by-one", "corners", "the causal diagonal is one key short",
                                    "flashinfer-ai/flashinfer#348"),
      wrong<with(F::corner)>("fault.attention-corner", "corners", "causal from the top left", "onnx/onnx#8068"),
      wrong<with(F::window_by_one)>("fault.attention-window-by-one", "masked", "the window is one key longer",
                                    "huggingface/transformers#39408"),
      wrong<with(F::tail_dropped)>("fault.attention-tail-dropped", "edges", "the last block is left out",
                                   "tile-ai/tilelang#864"),
      wrong<with(F::tail_of_zeros)>("fault.attention-tail-of-zeros", "edges",
                                    "the last block is filled up with scores of 0", "flashinfer-ai/flashinfer#5090"),
      wrong<with(F::nan_in_padding)>("fault.attention-nan-in-padding", "padding", "padding counts with weight 0",
                                     "Dao-AILab/flash-attention#2374"),
      wrong<with(F::empty_row_nan)>("fault.attention-empty-row-nan", "empty-rows", "a row without a key is NaN",
                                    "iree-org/iree#24178"),
      wrong<with(F::empty_row_lse_zero)>("fault.attention-empty-row-lse-zero", "empty-rows",
                                         "a row without a key has an LSE of 0", "pytorch/pytorch#134650"),
      wrong<with(F::empty_row_lse_infinite)>("fault.attention-empty-row-lse-infinite", "empty-rows",
                                             "a row without a key has an LSE of +inf",
                                             "Dao-AILab/flash-attention#978")};
}

Faults of_addresses() {
  return {wrong<with(F::length_of_first_batch)>("fault.attention-length-of-first-batch", "batches",
                                                "every batch has the first one's length", "sgl-project/sglang#25045"),
          wrong<with(F::values_of_first_batch)>("fault.attention-values-of-first-batch", "batches",
                                                "every batch reads the first one's values", "BobMcDear/attorch#14"),
          wrong<with(F::first_kv_head)>("fault.attention-first-kv-head", "heads", "every head reads the first KV head",
                                        "PSAL-POSTECH/ONNXim#33"),
          wrong<with(F::head_by_stride_of_queries)>("fault.attention-head-by-stride-of-queries", "heads",
                                                    "a KV head begins where one of as many queries would",
                                                    "jax-ml/jax#39521"),
          wrong<with(F::offset_of_16_bits)>(
              "fault.attention-offset-of-16-bits", "equal",
              "offsets into k and v wrap at 2^16, as those of 32 bits at 2^32, which no case has memory for",
              "thu-ml/SageAttention#386"),
          wrong<with(F::address_of_16_bytes)>("fault.attention-address-of-16-bytes", "value-sizes",
                                              "rows are read from the multiple of 16 bytes before them",
                                              "Dao-AILab/flash-attention#617"),
          wrong<with(F::values_shortened)>("fault.attention-values-shortened", "random", "the last channel is 0",
                                           "triton-lang/triton#621"),
          wrong<with(F::stale_value)>("fault.attention-stale-value", "edges",
                                      "the last key has the value of the one before", "vllm-project/vllm#42494"),
          wrong<with(F::heads_modulo)>("fault.attention-heads-modulo", "heads",
                                       "query head h reads KV head h mod their number", "ekzhang/jax-js#180"),
          wrong<with(F::heads_shortened)>("fault.attention-heads-shortened", "random",
                                          "the last entry of a head is not multiplied", "triton-lang/triton#621"),
          wrong<with(F::queries_unwritten)>("fault.attention-queries-unwritten", "random",
                                            "queries behind the last four are not written", "flagos-ai/FlagGems#5236")};
}

Faults of_order_and_sinks() {
  return {
      wrong<with(F::cap_before_scale)>("fault.attention-cap-before-scale", "softcaps", "softcap, then scale",
                                       "huggingface/trl#5691"),
      wrong<with(F::cap_after_bias)>("fault.attention-cap-after-bias", "softcaps", "bias, then softcap",
                                     "microsoft/onnxruntime#28379"),
      wrong<with(F::cap_after_mask)>("fault.attention-cap-after-mask", "softcaps",
                                     "masked scores become those of -C by the softcap", "emmtrix/emx-onnx-cgen#731"),
      wrong<with(F::cap_not_multiplied)>("fault.attention-cap-not-multiplied", "softcaps",
                                         "tanh of the score over the cap, not multiplied by it",
                                         "Dao-AILab/flash-attention#2402"),
      wrong<with(F::scale_of_values)>("fault.attention-scale-of-values", "value-sizes",
                                      "the scale is that of the values' size", "juho-lee/set_transformer#18"),
      wrong<with(F::bias_of_first_row)>("fault.attention-bias-of-first-row", "softcaps",
                                        "every row has the first one's bias", "google-research/tabfm#40"),
      wrong<with(F::bias_scaled)>("fault.attention-bias-scaled", "softcaps", "the bias is scaled as well",
                                  "NVIDIA/TransformerEngine#103"),
      wrong<with(F::slope_sign)>("fault.attention-slope-sign", "corners", "ALiBi's slope has the other sign",
                                 "meta-pytorch/attention-gym#86"),
      wrong<with(F::slope_corner)>("fault.attention-slope-corner", "corners", "ALiBi's distance is from the top left",
                                   "keras-team/keras-hub#2977"),
      wrong<with(F::no_sink)>("fault.attention-no-sink", "sinks", "the sink is not read",
                              "NVIDIA/TransformerEngine#2541"),
      wrong<with(F::sink_twice)>("fault.attention-sink-twice", "sinks", "the sink counts twice",
                                 "ROCm/rocm-libraries#12227"),
      wrong<with(F::sink_scaled)>("fault.attention-sink-scaled", "sinks", "the sink is scaled",
                                  "ROCm/rocm-libraries#12229")};
}

Faults of_parts() {
  return {
      wrong<in_parts(F::sink_in_every_part)>("fault.attention-sink-in-every-part", "sinks", "each part has the sink",
                                             "ROCm/rocm-libraries#12227"),
      wrong<in_parts(F::sink_in_no_part)>("fault.attention-sink-in-no-part", "sinks",
                                          "no part has the sink, and the merge leaves it out",
                                          "ROCm/rocm-libraries#12229"),
      wrong<in_parts(F::empty_part_nan)>("fault.attention-empty-part-nan", "masked",
                                         "a part without keys is 0/0, and counts 0 times that",
                                         "vllm-project/vllm#39148"),
      wrong<in_parts(F::outputs_of_parts_reversed)>("fault.attention-outputs-of-parts-reversed", "random",
                                                    "parts are weighed by the LSE of others, in reverse",
                                                    "Dao-AILab/flash-attention#2388"),
      wrong<with(F::sink_not_in_maximum)>("fault.attention-sink-not-in-maximum", "sinks",
                                          "the sink does not count in the maximum, and overflows",
                                          "NVIDIA/TensorRT-LLM#19220"),
      wrong<in_parts(F::empty_part_counts)>("fault.attention-empty-part-counts", "masked",
                                            "parts without keys have weight 1", "vllm-project/vllm#38416"),
      wrong<in_parts(F::merged_in_base_2)>("fault.attention-merged-in-base-2", "random", "parts are merged by 2^LSE",
                                           "sgl-project/sglang#35045"),
      wrong<in_parts(F::merged_by_maxima)>("fault.attention-merged-by-maxima", "random",
                                           "parts are merged by their maxima", "HKUSTDial/flash-sparse-attention#106"),
      wrong<f32_in_parts(F::parts_bf16)>("fault.attention-parts-bf16", "cancelling", "outputs of parts in bf16",
                                         "vllm-project/vllm-xpu-kernels#204")};
}

Faults of_precision() {
  return {
      wrong<with(F::scores_bf16)>("fault.attention-scores-bf16", "random", "scores in bf16",
                                  "AI-Hypercomputer/maxtext#1225"),
      wrong<with(F::scores_f16)>("fault.attention-scores-f16", "random", "scores in f16",
                                 "ikawrakow/ik_llama.cpp#2151"),
      wrong<with(F::sum_f16)>("fault.attention-sum-f16", "random", "the running sum in f16",
                              "ggml-org/llama.cpp#24389"),
      wrong<with(F::sum_bf16)>("fault.attention-sum-bf16", "random", "the running sum in bf16",
                               "pytorch/executorch#20090"),
      wrong<in_threes(F::output_bf16)>("fault.attention-output-bf16", "equal", "O in bf16 after each block",
                                       "Dao-AILab/flash-attention#2723"),
      wrong<with(F::constant_f16)>("fault.attention-constant-f16", "random", "log2 e in f16", "ml-explore/mlx#3119"),
      wrong<with(F::output_f16)>("fault.attention-output-f16", "equal", "O summed in f16", "ggml-org/llama.cpp#13975"),
      wrong<in_f32(F::weights_bf16)>("fault.attention-weights-bf16", "one-hot", "weights in bf16, of f32 inputs",
                                     "evintunador/triton_docs_tutorials#6"),
      wrong<with(F::weights_cut)>("fault.attention-weights-cut", "one-hot", "weights cut to bf16",
                                  "Dao-AILab/flash-attention#650"),
      wrong<with(F::weights_e4m3)>("fault.attention-weights-e4m3", "one-hot", "weights of 4 bits",
                                   "flashinfer-ai/flashinfer#5020"),
      wrong<with(F::coarse_exponential)>("fault.attention-coarse-exponential", "random", "exponentials 0.1% off",
                                         "tenstorrent/tt-metal#56710")};
}

}  // namespace

std::span<const Fault> attention_faults() {
  static const Faults list = [] {
    Faults all;
    for (const auto kind : {of_rescaling, of_lse, of_maxima, of_masks_and_edges, of_addresses, of_order_and_sinks,
                            of_parts, of_precision, right_attention})
      for (const Fault& fault : kind()) all.push_back(fault);
    for (const Fault& fault : backward_faults()) all.push_back(fault);
    return all;
  }();
  return list;
}

}  // namespace attncert
