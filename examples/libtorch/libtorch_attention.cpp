// SPDX-License-Identifier: MIT
// libtorch's attention as kernels of attncert's ABI: torch.nn.functional.scaled_dot_product_attention on the CPU,
// forward and, by autograd, backward. It takes a head of keys for each of queries and one mask; what attention.h offers
// besides is made into that mask. In libtorch 2 its two forms are called by name.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attncert/attention.h"
#include "examples/without_exceptions.hpp"

// libtorch 2 has it, and takes a scale.
#if __has_include(<ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>)
#define ATTNCERT_LIBTORCH_2 1
#else
#define ATTNCERT_LIBTORCH_2 0
#endif

namespace {

using at::Tensor;
using Arguments = attncert_attention_arguments;
using Gradients = attncert_attention_gradients;

std::int64_t whole(std::size_t n) { return static_cast<std::int64_t>(n); }

// What is at the tensor's place, not copied.
Tensor seen(const attncert_tensor& t, const Arguments& a, std::size_t heads, std::size_t rows, std::size_t size,
            at::ScalarType type) {
  return at::from_blob(t.data, {whole(a.batches), whole(heads), whole(rows), whole(size)},
                       {whole(t.batch_stride), whole(t.head_stride), whole(t.row_stride), 1}, type);
}

// One head of keys for each of queries.
Tensor spread(const Tensor& kv, const Arguments& a) { return kv.repeat_interleave(whole(a.heads / a.kv_heads), 1); }

// 0 or the bias where a row keeps a key, else -inf; undefined where every row keeps all.
Tensor mask_of(const Arguments& a, at::ScalarType type) {
  const bool causal = (a.flags & ATTNCERT_CAUSAL) != 0;
  if (!causal && a.window == 0 && a.window_after == 0 && a.lengths == nullptr && a.mask.data == nullptr &&
      a.bias.data == nullptr)
    return {};
  Tensor mask = at::zeros({whole(a.batches), whole(a.heads), whole(a.queries), whole(a.keys)}, at::kFloat);
  float* to = mask.data_ptr<float>();
  for (std::size_t b = 0; b < a.batches; ++b)
    for (std::size_t h = 0; h < a.heads; ++h)
      for (std::size_t i = 0; i < a.queries; ++i)
        for (std::size_t j = 0; j < a.keys; ++j, ++to) {
          const auto at = [&](const attncert_tensor& t) {
            return b * t.batch_stride + h * t.head_stride + i * t.row_stride + j;
          };
          const std::int64_t diagonal = whole(i) + a.causal_offset, key = whole(j);
          const bool kept = (a.lengths == nullptr || j < a.lengths[b]) && (!causal || key <= diagonal) &&
                            (a.window == 0 || key > diagonal - whole(a.window)) &&
                            (a.window_after == 0 || key < diagonal + whole(a.window_after)) &&
                            (a.mask.data == nullptr || static_cast<const unsigned char*>(a.mask.data)[at(a.mask)] != 0);
          if (!kept) *to = -std::numeric_limits<float>::infinity();
          else if (a.bias.data != nullptr) *to = static_cast<const float*>(a.bias.data)[at(a.bias)];
        }
  return mask.to(type);
}

bool serves(const Arguments& a) {
  const bool scaled = ATTNCERT_LIBTORCH_2 || a.scale == static_cast<float>(1 / std::sqrt(double(a.head_size)));
  return scaled && a.softcap == 0 && a.sinks == nullptr && a.slopes == nullptr;
}

Tensor math(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, [[maybe_unused]] double scale) {
  const c10::optional<Tensor> given = mask.defined() ? c10::optional<Tensor>(mask) : c10::nullopt;
#if !ATTNCERT_LIBTORCH_2
  return std::get<0>(at::_scaled_dot_product_attention(q, k, v, given, 0.0, false, false));
#else
  return std::get<0>(at::_scaled_dot_product_attention_math(q, k, v, given, 0.0, false, c10::nullopt, scale));
#endif
}

template <at::ScalarType kType>
attncert_attention_status forward(const Arguments* a) {
  const c10::InferenceMode inference;
  if (!serves(*a)) return ATTNCERT_ATTENTION_DECLINED;
  const Tensor q = seen(a->q, *a, a->heads, a->queries, a->head_size, kType),
               k = spread(seen(a->k, *a, a->kv_heads, a->keys, a->head_size, kType), *a),
               v = spread(seen(a->v, *a, a->kv_heads, a->keys, a->value_size, kType), *a);
  seen(a->o, *a, a->heads, a->queries, a->value_size, kType).copy_(math(q, k, v, mask_of(*a, kType), a->scale));
  return ATTNCERT_ATTENTION_OK;
}

// Autograd's: the forward pass once more, then its derivatives.
template <at::ScalarType kType>
attncert_attention_status backward(const Arguments* a, const Gradients* g) {
  if (!serves(*a)) return ATTNCERT_ATTENTION_DECLINED;
  const auto leaf = [&](const attncert_tensor& t, std::size_t heads, std::size_t rows, std::size_t size) {
    return seen(t, *a, heads, rows, size, kType).clone().set_requires_grad(true);
  };
  const Tensor q = leaf(a->q, a->heads, a->queries, a->head_size), k = leaf(a->k, a->kv_heads, a->keys, a->head_size),
               v = leaf(a->v, a->kv_heads, a->keys, a->value_size);
  const Tensor o = math(q, spread(k, *a), spread(v, *a), mask_of(*a, kType), a->scale);
  o.backward(seen(g->d_o, *a, a->heads, a->queries, a->value_size, kType));
  seen(g->dq, *a, a->heads, a->queries, a->head_size, kType).copy_(q.grad());
  seen(g->dk, *a, a->kv_heads, a->keys, a->head_size, kType).copy_(k.grad());
  seen(g->dv, *a, a->kv_heads, a->keys, a->value_size, kType).copy_(v.grad());
  return ATTNCERT_ATTENTION_OK;
}

#if ATTNCERT_LIBTORCH_2
c10::optional<Tensor> optional(const Tensor& mask) {
  return mask.defined() ? c10::optional<Tensor>(mask) : c10::nullopt;
}

Tensor lse_of(const Arguments& a) {
  return at::from_blob(a.lse, {whole(a.batches), whole(a.heads), whole(a.queries)}, at::kFloat);
}

// The blocks of the CPU's flash attention, with their LSE.
template <at::ScalarType kType>
attncert_attention_status flash(const Arguments* a) {
  const c10::InferenceMode inference;
  if (!serves(*a) || a->head_size != a->value_size) return ATTNCERT_ATTENTION_DECLINED;
  const auto [o, lse] = at::_scaled_dot_product_flash_attention_for_cpu(
      seen(a->q, *a, a->heads, a->queries, a->head_size, kType),
      spread(seen(a->k, *a, a->kv_heads, a->keys, a->head_size, kType), *a),
      spread(seen(a->v, *a, a->kv_heads, a->keys, a->value_size, kType), *a), 0.0, false,
      optional(mask_of(*a, at::kFloat)), a->scale);
  seen(a->o, *a, a->heads, a->queries, a->value_size, kType).copy_(o);
  if (a->lse != nullptr) lse_of(*a).copy_(lse);
  return ATTNCERT_ATTENTION_OK;
}

template <at::ScalarType kType>
attncert_attention_status flash_backward(const Arguments* a, const Gradients* g) {
  const c10::InferenceMode inference;
  const auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
      seen(g->d_o, *a, a->heads, a->queries, a->value_size, kType).contiguous(),
      seen(a->q, *a, a->heads, a->queries, a->head_size, kType).contiguous(),
      spread(seen(a->k, *a, a->kv_heads, a->keys, a->head_size, kType), *a),
      spread(seen(a->v, *a, a->kv_heads, a->keys, a->value_size, kType), *a),
      seen(a->o, *a, a->heads, a->queries, a->value_size, kType).contiguous(), lse_of(*a), 0.0, false,
      optional(mask_of(*a, at::kFloat)), a->scale);
  const std::int64_t group = whole(a->heads / a->kv_heads), kv_heads = whole(a->kv_heads);
  const auto gathered = [&](const Tensor& t) {  // over the query heads that read a KV head
    return t.to(at::kFloat).view({t.size(0), kv_heads, group, t.size(2), t.size(3)}).sum(2);
  };
  seen(g->dq, *a, a->heads, a->queries, a->head_size, kType).copy_(dq);
  seen(g->dk, *a, a->kv_heads, a->keys, a->head_size, kType).copy_(gathered(dk.contiguous()));
  seen(g->dv, *a, a->kv_heads, a->keys, a->value_size, kType).copy_(gathered(dv.contiguous()));
  return ATTNCERT_ATTENTION_OK;
}
#endif

constexpr const char* features = "causal,window,window-after,mask,bias,lengths,heads,batches,value-size";

constexpr attncert_attention_kernel kernel(const char* name, const char* rounding, attncert_dtype dtype,
                                           std::uint32_t flags, decltype(attncert_attention_kernel::run) forward,
                                           decltype(attncert_attention_kernel::run_backward) backward) {
  return {ATTNCERT_ATTENTION_ABI,
          sizeof(attncert_attention_kernel),
          name,
          rounding,
          features,
          dtype,
          dtype,
          64,
          flags,
          forward,
          backward,
          dtype};
}

// The plain forms: unfused, each tensor between two operations rounded to the type.
constexpr attncert_attention_kernel f32 = kernel("libtorch-attention.f32", "", ATTNCERT_F32, ATTNCERT_ATTENTION_NO_LSE,
                                                 without_exceptions<forward<at::kFloat>>,
                                                 without_exceptions<backward<at::kFloat>>),
                                    bf16 = kernel("libtorch-attention.bf16", "sbf16-unfused", ATTNCERT_BF16,
                                                  ATTNCERT_ATTENTION_NO_LSE, without_exceptions<forward<at::kBFloat16>>,
                                                  without_exceptions<backward<at::kBFloat16>>);
#if ATTNCERT_LIBTORCH_2
constexpr attncert_attention_kernel flash_f32 = kernel("libtorch-flash.f32", "f32", ATTNCERT_F32, 0,
                                                       without_exceptions<flash<at::kFloat>>,
                                                       without_exceptions<flash_backward<at::kFloat>>),
                                    flash_bf16 = kernel("libtorch-flash.bf16", "sbf16-unfused", ATTNCERT_BF16, 0,
                                                        without_exceptions<flash<at::kBFloat16>>,
                                                        without_exceptions<flash_backward<at::kBFloat16>>);
#endif

}  // namespace

extern "C" const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  at::set_num_threads(1);
  static const attncert_attention_kernel* const all[] = {
    &f32,
    &bf16,
#if ATTNCERT_LIBTORCH_2
    &flash_f32,
    &flash_bf16
#endif
  };
  *count = sizeof all / sizeof all[0];
  return all;
}
