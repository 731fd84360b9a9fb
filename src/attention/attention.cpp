#include "src/attention/attention.hpp"

#include <cmath>
#include <new>
#include <stdexcept>

#include "src/attention/head.hpp"

namespace attncert {
namespace {

bool is_valid(const attncert_attention_arguments& a) {
  if (a.size < sizeof a || (a.flags & ~ATTNCERT_CAUSAL) != 0) return false;
  for (const std::size_t extent : {a.batches, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size})
    if (extent == 0) return false;
  for (const attncert_tensor& tensor : {a.q, a.k, a.v, a.o})
    if (tensor.data == nullptr) return false;
  if (a.heads % a.kv_heads != 0 || !std::isfinite(a.scale) || a.scale == 0) return false;
  if (!(a.softcap >= 0) || !std::isfinite(a.softcap)) return false;
  for (std::size_t h = 0; h < a.heads; ++h) {
    if (a.sinks != nullptr && !(a.sinks[h] < INFINITY)) return false;
    if (a.slopes != nullptr && !std::isfinite(a.slopes[h])) return false;
  }
  for (std::size_t b = 0; a.lengths != nullptr && b < a.batches; ++b)
    if (a.lengths[b] > a.keys) return false;
  return true;
}

template <attncert_dtype kType>
attncert_attention_status run(const attncert_attention_arguments* arguments) {
  return arguments == nullptr ? ATTNCERT_ATTENTION_BAD_ARGUMENT : attention(*arguments, kType);
}

template <attncert_dtype kType>
constexpr attncert_attention_kernel descriptor(const char* name) {
  return {ATTNCERT_ATTENTION_ABI,
          sizeof(attncert_attention_kernel),
          name,
          attention_class,
          "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,nan-padding,value-size",
          kType,
          kType,
          0,
          0,
          run<kType>,
          nullptr};
}

}  // namespace

attncert_attention_status attention(const attncert_attention_arguments& arguments, attncert_dtype dtype) {
  if (!is_valid(arguments)) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  try {
    AttentionHead kv(arguments, dtype);
    const std::size_t group = arguments.heads / arguments.kv_heads;
    for (std::size_t b = 0; b < arguments.batches; ++b)
      for (std::size_t h = 0; h < arguments.kv_heads; ++h) {
        kv.load(b, h);
        for (std::size_t head = h * group; head < (h + 1) * group; ++head) kv.attend(head);
      }
  } catch (const std::bad_alloc&) {  // of what a head needs, before anything is written
    return ATTNCERT_ATTENTION_NO_RESOURCES;
  } catch (const std::length_error&) {
    return ATTNCERT_ATTENTION_NO_RESOURCES;
  }
  return ATTNCERT_ATTENTION_OK;
}

std::span<const attncert_attention_kernel* const> attention_kernels() {
  static constexpr attncert_attention_kernel f32 = descriptor<ATTNCERT_F32>("attention.f32"),
                                             f16 = descriptor<ATTNCERT_F16>("attention.f16"),
                                             bf16 = descriptor<ATTNCERT_BF16>("attention.bf16");
  static const attncert_attention_kernel* const all[] = {&f32, &f16, &bf16};
  return all;
}

}  // namespace attncert
