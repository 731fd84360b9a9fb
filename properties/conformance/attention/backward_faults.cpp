#include "properties/conformance/attention/attention_faults.hpp"
#include "properties/conformance/attention/blockwise_kernel.hpp"
#include "properties/conformance/attention/plain_backward.hpp"

namespace attncert {
namespace {

template <BackwardForm kForm>
attncert_attention_status backward(const attncert_attention_arguments* arguments,
                                   const attncert_attention_gradients* gradients) {
  return plain_backward(*arguments, *gradients, kForm);
}

template <BackwardForm kForm>
Fault of_form(const char* name, const char* rounding, const char* text) {
  static const attncert_attention_kernel descriptor = blockwise_descriptor(
      name, rounding, kForm.dtype, run_blockwise<AttentionForm{.dtype = kForm.dtype}>, backward<kForm>);
  Fault fault{name, text, ""};
  fault.attention = &descriptor;
  return fault;
}

template <BackwardFlaw kFlaw, attncert_dtype kType = ATTNCERT_BF16>
Fault wrong(const char* name, const char* group, const char* text, const char* imitates) {
  Fault fault =
      of_form<BackwardForm{.dtype = kType, .flaw = kFlaw}>(name, kType == ATTNCERT_BF16 ? "pbf16" : "f32", text);
  fault.imitates = imitates;
  fault.case_name = group;
  return fault;
}

template <BackwardForm kForm>
Fault right(const char* name, const char* rounding, const char* text) {
  Fault fault = of_form<kForm>(name, rounding, text);
  fault.wrong = false;
  return fault;
}

using F = BackwardFlaw;
using Faults = std::vector<Fault>;

Faults of_D_and_scale() {
  constexpr const char* scale = "tile-ai/tilelang-ascend#1670";
  return {wrong<F::no_D>("fault.backward-no-d", "random", "D is left out", "triton-lang/triton#2020"),
          wrong<F::D_of_row_before>("fault.backward-d-of-row-before", "random", "D is that of the row before",
                                    "flagos-ai/FlagAttention#1"),
          wrong<F::D_added>("fault.backward-d-added", "random", "D is added", "harvard-edge/cs249r_book#2053"),
          wrong<F::D_bf16>("fault.backward-d-bf16", "cancelling", "D in bf16", "ROCm/aiter#3070"),
          wrong<F::dq_unscaled>("fault.backward-dq-unscaled", "random", "dq is not scaled", scale),
          wrong<F::dk_unscaled>("fault.backward-dk-unscaled", "random", "dk is not scaled", scale),
          wrong<F::dq_scaled_twice>("fault.backward-dq-scaled-twice", "random", "dq is scaled twice",
                                    "HKUSTDial/flash-sparse-attention#203"),
          wrong<F::dropout_scale>("fault.backward-dropout-scale", "random",
                                  "weights are divided by 0.9, as under a dropout", "NVIDIA/apex#816")};
}

Faults of_what_counts() {
  return {
      wrong<F::last_query_missing>("fault.backward-last-query-missing", "random",
                                   "the last query is left out of dk and dv", "flagos-ai/FlagGems#3607"),
      wrong<F::tail_of_queries_missing>("fault.backward-tail-of-queries-missing", "random",
                                        "queries behind the last four are left out of dk and dv", "ROCm/triton#666"),
      wrong<F::first_key_of_tile_missing>("fault.backward-first-key-of-tile-missing", "edges",
                                          "the first key of each tile but the first is left out",
                                          "class: edges of the backward pass"),
      wrong<F::one_head_of_a_group>("fault.backward-one-head-of-a-group", "heads",
                                    "dk and dv are of the first query head of a KV head",
                                    "marin-community/levanter#449"),
      wrong<F::last_head_overwrites>("fault.backward-last-head-overwrites", "heads",
                                     "dk and dv are of the last query head of a KV head", "NVIDIA/recsys-examples#274"),
      wrong<F::mean_over_heads>("fault.backward-mean-over-heads", "heads",
                                "dk and dv are means over the query heads of a KV head",
                                "bigcode-project/Megatron-LM#37"),
      wrong<F::causal_missing>("fault.backward-causal-missing", "corners", "the causal mask is not applied",
                               "meta-pytorch/MSLK#263"),
      wrong<F::corner>("fault.backward-corner", "corners", "causal from the top left", "xlite-dev/ffpa-attn#300"),
      wrong<F::window_by_one>("fault.backward-window-by-one", "masked", "the window is one key longer",
                              "AMD-AGI/Primus-Turbo#262"),
      wrong<F::mask_missing>("fault.backward-mask-missing", "masked", "the mask is not applied",
                             "meta-pytorch/MSLK#260"),
      wrong<F::padding_counts>("fault.backward-padding-counts", "masked", "padding counts",
                               "XPU-Forces/mojo_opset#386")};
}

Faults of_scores() {
  return {wrong<F::softcap_slope_missing>("fault.backward-softcap-slope-missing", "softcaps",
                                          "the slope of the softcap is left out", "Dao-AILab/flash-attention#1033"),
          wrong<F::softcap_missing>("fault.backward-softcap-missing", "softcaps", "scores are not capped",
                                    "Dao-AILab/flash-attention#1033"),
          wrong<F::bias_missing>("fault.backward-bias-missing", "softcaps", "the bias is left out",
                                 "ROCm/composable_kernel#870"),
          wrong<F::slopes_missing>("fault.backward-slopes-missing", "corners", "ALiBi's slopes are left out",
                                   "ROCm/triton#576"),
          wrong<F::scores_f16>("fault.backward-scores-f16", "far", "scores in f16", "NVIDIA/cudnn-frontend#744"),
          wrong<F::lse_of_row_before>("fault.backward-lse-of-row-before", "random", "the LSE is that of the row before",
                                      "ROCm/aiter#2810"),
          wrong<F::lse_of_first_row>("fault.backward-lse-of-first-row", "random", "every row has the first one's LSE",
                                     "Dao-AILab/flash-attention@b3f1b6a5"),
          wrong<F::lse_base_2>("fault.backward-lse-base-2", "random", "the LSE is read as one of base 2",
                               "meta-pytorch/attention-gym#200")};
}

Faults of_sinks_and_precision() {
  constexpr const char* sinks = "class: sinks of the backward pass";
  return {
      wrong<F::sink_absent>("fault.backward-sink-absent", "sinks", "weights are rebuilt without the sink",
                            "NVIDIA/cudnn-frontend#421"),
      wrong<F::dsinks_sign>("fault.backward-dsinks-sign", "sinks", "dsinks has the other sign", sinks),
      wrong<F::dsinks_of_last_batch>("fault.backward-dsinks-of-last-batch", "batches",
                                     "dsinks is that of the last batch", "HKUSTDial/flash-sparse-attention#194"),
      wrong<F::dsinks_of_all_heads>("fault.backward-dsinks-of-all-heads", "sinks", "dsinks is summed over all heads",
                                    sinks),
      wrong<F::dq_bf16>("fault.backward-dq-bf16", "long-sums", "dq is summed in bf16", "facebookresearch/xformers#467"),
      wrong<F::dk_bf16>("fault.backward-dk-bf16", "long-sums", "dk and dv are summed in bf16",
                        "facebookresearch/xformers#467"),
      wrong<F::weights_cut, ATTNCERT_F32>("fault.backward-weights-cut", "random", "weights below 2^-10 are 0",
                                          "HKUSTDial/flash-sparse-attention#314")};
}

Faults right_ones() {
  constexpr BackwardForm plain{}, narrow{.narrow = true}, from_the_end{.narrow = true, .backwards = true},
      f32{.dtype = ATTNCERT_F32, .f32 = true}, kept{.unfused = true, .narrow = true}, doubles{.dtype = ATTNCERT_F32};
  return {right<plain>("right.backward", "pbf16", "from the LSE"),
          right<narrow>("right.backward-narrow", "pbf16", "weights and dS in bf16"),
          right<from_the_end>("right.backward-from-the-end", "pbf16", "weights and dS in bf16, the last row first"),
          right<doubles>("right.backward-doubles", "f32", "from the LSE, in doubles"),
          right<f32>("right.backward-f32", "f32", "from the LSE, every operation in f32"),
          right<kept>("right.backward-unfused", "pbf16-unfused", "weights of its own softmax, in bf16")};
}

}  // namespace

std::vector<Fault> backward_faults() {
  Faults all;
  for (const auto kind : {of_D_and_scale, of_what_counts, of_scores, of_sinks_and_precision, right_ones})
    for (const Fault& fault : kind()) all.push_back(fault);
  return all;
}

}  // namespace attncert
