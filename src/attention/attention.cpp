#include "src/attention/attention.hpp"

#include <vector>

#include "src/attention/every_head.hpp"
#include "src/attention/gradient_head.hpp"
#include "src/attention/head.hpp"
#include "src/attention/objection.hpp"
#include "src/attention/split.hpp"

namespace attncert {
namespace {

template <attncert_dtype kType>
attncert_attention_status run(const attncert_attention_arguments* arguments) {
  return arguments == nullptr ? ATTNCERT_ATTENTION_BAD_ARGUMENT : attention(*arguments, kType);
}

template <attncert_dtype kType>
attncert_attention_status run_backward(const attncert_attention_arguments* arguments,
                                       const attncert_attention_gradients* gradients) {
  if (arguments == nullptr || gradients == nullptr) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  return attention_gradients(*arguments, *gradients, kType);
}

template <attncert_dtype kType>
constexpr attncert_attention_kernel descriptor(const char* name) {
  return {ATTNCERT_ATTENTION_ABI,
          sizeof(attncert_attention_kernel),
          name,
          attention_class,
          "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,batches,nan-padding,value-size,empty-rows",
          kType,
          kType,
          0,
          0,
          run<kType>,
          run_backward<kType>};
}

constexpr std::size_t split_parts = 4;  // of the class's name

attncert_attention_status run_split(const attncert_attention_arguments* arguments) {
  return arguments == nullptr ? ATTNCERT_ATTENTION_BAD_ARGUMENT
                              : split_attention(*arguments, ATTNCERT_F32, split_parts, 1);
}

constexpr attncert_attention_kernel split_descriptor() {
  attncert_attention_kernel kernel = descriptor<ATTNCERT_F32>("attention-split.f32");
  kernel.rounding = "f32-split-4";
  kernel.run = run_split;
  kernel.run_backward = nullptr;
  return kernel;
}

}  // namespace

attncert_attention_status attention(const attncert_attention_arguments& arguments, attncert_dtype dtype) {
  return attention(arguments, dtype, dtype);
}

attncert_attention_status attention(const attncert_attention_arguments& arguments, attncert_dtype dtype,
                                    attncert_dtype dtype_out) {
  if (!objection(arguments).empty()) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  return where_memory_is([&] {
    KvHead kv(arguments, dtype, KvHead::For::forward);
    AttentionHead rows(arguments, dtype, dtype_out, kv);
    each_kv_head(arguments, kv, [&](std::size_t first, std::size_t last) {
      for (std::size_t head = first; head < last; ++head) rows.attend(head);
    });
  });
}

attncert_attention_status attention_gradients(const attncert_attention_arguments& arguments,
                                              const attncert_attention_gradients& gradients, attncert_dtype dtype) {
  if (!objection(arguments, gradients).empty()) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  return where_memory_is([&] {
    KvHead kv(arguments, dtype, KvHead::For::backward);
    GradientHead rows(arguments, gradients, dtype, kv);
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
                                             split = split_descriptor();
  static const attncert_attention_kernel* const all[] = {&f32, &f16, &bf16, &split};
  return all;
}

}  // namespace attncert
