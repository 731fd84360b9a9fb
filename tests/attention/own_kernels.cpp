// src/attention as a library of attention kernels, with heads of several sizes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/attention/attention.hpp"
#include "src/attention/row_weights.hpp"
#include "src/attention/split.hpp"
#include "tests/one_in.hpp"

namespace {

attncert_attention_kernel with_heads(std::size_t number, const char* name, std::uint32_t size) {
  attncert_attention_kernel kernel = *attncert::attention_kernels()[number];
  kernel.name = name;
  kernel.head_size = size;
  return kernel;
}

// A softmax of f32 as the weights of rows.
attncert_attention_status run_by_rows(const attncert_attention_arguments* arguments) {
  const auto softmax = [](std::span<const float> scores, std::span<float> weights) {
    const float largest = *std::max_element(scores.begin(), scores.end());
    float sum = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) sum += weights[j] = std::exp(scores[j] - largest);
    for (float& weight : weights) weight /= sum;
  };
  if (arguments->sinks != nullptr) return ATTNCERT_ATTENTION_DECLINED;  // weights that are any function know none
  return attncert::attention_with(*arguments, ATTNCERT_F32, softmax);
}

attncert_attention_kernel by_rows() {
  attncert_attention_kernel kernel = *attncert::attention_kernels()[0];
  kernel.name = "attention-by-rows.f32";
  kernel.rounding = "f32-unfused";
  kernel.features = "causal,window,mask,bias,softcap,slopes,lengths,heads,batches,nan-padding,value-size";
  kernel.flags = ATTNCERT_ATTENTION_NO_LSE;
  kernel.run = run_by_rows;
  kernel.run_backward = nullptr;
  return kernel;
}

template <attncert_dtype kType>
attncert_attention_status run_in_three(const attncert_attention_arguments* arguments) {
  return attncert::split_attention(*arguments, kType, 3, 2);
}

// Another kernel's descriptor but for split-KV in three parts.
template <attncert_dtype kType>
attncert_attention_kernel in_three(const char* name, std::size_t number) {
  attncert_attention_kernel kernel = *attncert::attention_kernels()[number];
  kernel.name = name;
  kernel.rounding = "f32-split-3";
  kernel.run = run_in_three<kType>;
  kernel.run_backward = nullptr;
  return kernel;
}

}  // namespace

extern "C" const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const auto all = attncert::attention_kernels();
  static const attncert_attention_kernel small = with_heads(0, "attention.f32.8", 8),
                                         odd = with_heads(2, "attention.bf16.37", 37), rows = by_rows(),
                                         f16 = in_three<ATTNCERT_F16>("attention-split.f16", 1),
                                         bf16 = in_three<ATTNCERT_BF16>("attention-split.bf16", 2);
  static const std::vector list = attncert::taken_of(
      std::vector{all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], &small, &odd, &rows, &f16, &bf16});
  *count = list.size();
  return list.data();
}
