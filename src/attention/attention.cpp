#include "src/attention/attention.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "src/attention/every_head.hpp"
#include "src/attention/gradient_head.hpp"
#include "src/attention/head.hpp"
#include "src/attention/objection.hpp"
#include "src/attention/split.hpp"

namespace attncert {
namespace {

// What a caller of an older header did not know is not there.
attncert_attention_arguments whole(const attncert_attention_arguments& arguments) {
  attncert_attention_arguments known{};
  if (arguments.size < offsetof(attncert_attention_arguments, k_scale)) return known;  // which is no valid call
  std::memcpy(&known, &arguments, std::min<std::size_t>(arguments.size, sizeof known));
  known.size = sizeof known;
  return known;
}

template <attncert_dtype kType, attncert_dtype kKv>
attncert_attention_status run(const attncert_attention_arguments* arguments) {
  return arguments == nullptr ? ATTNCERT_ATTENTION_BAD_ARGUMENT : attention(whole(*arguments), {kType, kKv, kType});
}

template <attncert_dtype kType, attncert_dtype kKv>
attncert_attention_status run_backward(const attncert_attention_arguments* arguments,
                                       const attncert_attention_gradients* gradients) {
  if (arguments == nullptr || gradients == nullptr) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  return attention_gradients(whole(*arguments), *gradients, {kType, kKv, kType});
}

template <attncert_dtype kType, attncert_dtype kKv = kType>
constexpr attncert_attention_kernel descriptor(const char* name) {
  return {ATTNCERT_ATTENTION_ABI,
          sizeof(attncert_attention_kernel),
          name,
          attention_class,
          "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,batches,nan-padding,value-size,empty-rows,"
          "window-after,propagates-nan",
          kType,
          kType,
          0,
          0,
          run<kType, kKv>,
          run_backward<kType, kKv>,
          kKv};
}

template <attncert_dtype kType, attncert_dtype kKv>
constexpr attncert_attention_kernel scaled_descriptor(const char* name) {
  attncert_attention_kernel kernel = descriptor<kType, kKv>(name);
  kernel.features =
      "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,batches,nan-padding,value-size,empty-rows,"
      "window-after,kv-scales";
  kernel.run_backward = nullptr;
  return kernel;
}

constexpr std::size_t split_parts = 4;  // of the class's name

attncert_attention_status run_split(const attncert_attention_arguments* arguments) {
  return arguments == nullptr ? ATTNCERT_ATTENTION_BAD_ARGUMENT
                              : split_attention(whole(*arguments), ATTNCERT_F32, split_parts, 1);
}

constexpr attncert_attention_kernel split_descriptor() {
  attncert_attention_kernel kernel = descriptor<ATTNCERT_F32>("attention-split.f32");
  kernel.rounding = "f32-split-4";
  kernel.run = run_split;
  kernel.run_backward = nullptr;
  return kernel;
}

}  // namespace

attncert_attention_status attention(const attncert_attention_arguments& arguments, const AttentionTypes& types) {
  if (!objection(arguments).empty()) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  return where_memory_is([&] {
    KvHead kv(arguments, types.kv, KvHead::For::forward);
    AttentionHead rows(arguments, types, kv);
    each_kv_head(arguments, kv, [&](std::size_t first, std::size_t last) {
      for (std::size_t head = first; head < last; ++head) rows.attend(head);
    });
  });
}

attncert_attention_status attention_gradients(const attncert_attention_arguments& arguments,
                                              const attncert_attention_gradients& gradients,
                                              const AttentionTypes& types) {
  if (!objection(arguments, gradients).empty()) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  const bool eight_bits = types.kv == ATTNCERT_E4M3 || types.kv == ATTNCERT_E5M2;
  if (eight_bits || arguments.k_scale != nullptr || arguments.v_scale != nullptr) return ATTNCERT_ATTENTION_DECLINED;
  return where_memory_is([&] {
    KvHead kv(arguments, types.kv, KvHead::For::backward);
    GradientHead rows(arguments, gradients, types, kv);
    std::vector<double> sinks(arguments.heads);
    each_kv_head(arguments, kv, [&](std::size_t first, std::size_t last) {
      rows.start();
      for (std::size_t head = first; head < last; ++head) sinks[head] += rows.add(head);
      rows.finish();
    });
    for (std::size_t h = 0; h < arguments.heads && arguments.sinks != nullptr && gradients.dsinks != nullptr; ++h)
      gradients.dsinks[h] = static_cast<float>(sinks[h]);
  });
}

std::span<const attncert_attention_kernel* const> attention_kernels() {
  static constexpr attncert_attention_kernel f32 = descriptor<ATTNCERT_F32>("attention.f32"),
                                             f16 = descriptor<ATTNCERT_F16>("attention.f16"),
                                             bf16 = descriptor<ATTNCERT_BF16>("attention.bf16"),
                                             split = split_descriptor(),
                                             f16_kv = descriptor<ATTNCERT_F32, ATTNCERT_F16>("attention-f16-kv.f32"),
                                             bf16_kv = descriptor<ATTNCERT_F32, ATTNCERT_BF16>("attention-bf16-kv.f32"),
                                             e4m3_kv = scaled_descriptor<ATTNCERT_BF16, ATTNCERT_E4M3>(
                                                 "attention-e4m3-kv.bf16"),
                                             e5m2_kv = scaled_descriptor<ATTNCERT_F16, ATTNCERT_E5M2>(
                                                 "attention-e5m2-kv.f16");
  static const attncert_attention_kernel* const all[] = {&f32,    &f16,     &bf16,    &split,
                                                         &f16_kv, &bf16_kv, &e4m3_kv, &e5m2_kv};
  return all;
}

}  // namespace attncert
