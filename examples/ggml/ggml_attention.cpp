// SPDX-License-Identifier: MIT
// ggml's attention on the CPU as kernels of attncert's ABI: ggml_flash_attn_ext, with f32 or f16 keys and values; q and
// o are f32 in ggml, and f32 precision is asked for. scripts/ggml builds ggml. All that removes keys becomes ggml's
// mask; biases, which ggml takes in f16, and slopes, of which it makes its own, are not offered.
#include <attncert/attention.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

namespace {

using Arguments = attncert_attention_arguments;

constexpr std::int64_t whole(std::size_t n) { return static_cast<std::int64_t>(n); }

bool keeps(const Arguments& a, std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
  const std::int64_t diagonal = whole(i) + a.causal_offset, key = whole(j);
  const auto* mask = static_cast<const unsigned char*>(a.mask.data);
  const std::size_t at = b * a.mask.batch_stride + h * a.mask.head_stride + i * a.mask.row_stride + j;
  return (a.lengths == nullptr || j < a.lengths[b]) && ((a.flags & ATTNCERT_CAUSAL) == 0 || key <= diagonal) &&
         (a.window == 0 || key > diagonal - whole(a.window)) &&
         (a.window_after == 0 || key < diagonal + whole(a.window_after)) && (mask == nullptr || mask[at] != 0);
}

// One call as ggml's graph of one operation.
class Graph {
 public:
  Graph(const Arguments& a, ggml_type type) : a_(a), type_(type) {
    const std::size_t entries = a.batches * (a.heads * a.queries * (a.head_size + a.value_size + a.keys) +
                                             a.kv_heads * a.keys * (a.head_size + a.value_size) + a.heads);
    context_.reset(ggml_init({entries * sizeof(float) + (1U << 24), nullptr, false}));
  }

  // Writes o where all went well.
  attncert_attention_status run() {
    ggml_context* const context = context_.get();
    if (context == nullptr) return ATTNCERT_ATTENTION_NO_RESOURCES;
    ggml_tensor* const q = filled(a_.q, a_.heads, a_.queries, a_.head_size, GGML_TYPE_F32);
    ggml_tensor* const k = filled(a_.k, a_.kv_heads, a_.keys, a_.head_size, type_);
    ggml_tensor* const v = filled(a_.v, a_.kv_heads, a_.keys, a_.value_size, type_);
    ggml_tensor* const o = ggml_flash_attn_ext(context, q, k, v, mask(), a_.scale, 0, a_.softcap);
    ggml_flash_attn_ext_set_prec(o, GGML_PREC_F32);
    if (a_.sinks != nullptr) {
      ggml_tensor* const sinks = ggml_new_tensor_1d(context, GGML_TYPE_F32, whole(a_.heads));
      std::memcpy(sinks->data, a_.sinks, a_.heads * sizeof(float));
      ggml_flash_attn_ext_add_sinks(o, sinks);
    }
    ggml_cgraph* const graph = ggml_new_graph(context);
    ggml_build_forward_expand(graph, o);
    switch (ggml_graph_compute_with_ctx(context, graph, 1)) {
      case GGML_STATUS_SUCCESS:
        give(o);
        return ATTNCERT_ATTENTION_OK;
      case GGML_STATUS_ALLOC_FAILED:
        return ATTNCERT_ATTENTION_NO_RESOURCES;
      default:
        return ATTNCERT_ATTENTION_DECLINED;
    }
  }

 private:
  struct Free {
    void operator()(ggml_context* context) const { ggml_free(context); }
  };

  // A tensor of the call, in the call's type, as one of ggml's with the same numbers.
  ggml_tensor* filled(const attncert_tensor& from, std::size_t heads, std::size_t rows, std::size_t size,
                      ggml_type type) {
    ggml_tensor* const to =
        ggml_new_tensor_4d(context_.get(), type, whole(size), whole(rows), whole(heads), whole(a_.batches));
    char* place = static_cast<char*>(to->data);
    for (std::size_t b = 0; b < a_.batches; ++b)
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t r = 0; r < rows; ++r, place += size * ggml_type_size(type)) {
          const std::size_t at = b * from.batch_stride + h * from.head_stride + r * from.row_stride;
          const char* const row = static_cast<const char*>(from.data) + at * ggml_type_size(type_);
          if (type == type_) std::memcpy(place, row, size * ggml_type_size(type));
          else
            ggml_fp16_to_fp32_row(reinterpret_cast<const ggml_fp16_t*>(row), reinterpret_cast<float*>(place),
                                  whole(size));
        }
    return to;
  }

  ggml_tensor* mask() {
    const bool any = (a_.flags & ATTNCERT_CAUSAL) != 0 || a_.window != 0 || a_.window_after != 0 ||
                     a_.lengths != nullptr || a_.mask.data != nullptr;
    if (!any) return nullptr;
    ggml_tensor* const to = ggml_new_tensor_4d(context_.get(), GGML_TYPE_F16, whole(a_.keys), whole(a_.queries),
                                               whole(a_.heads), whole(a_.batches));
    auto* place = static_cast<ggml_fp16_t*>(to->data);
    const ggml_fp16_t kept = ggml_fp32_to_fp16(0), removed = ggml_fp32_to_fp16(-INFINITY);
    for (std::size_t b = 0; b < a_.batches; ++b)
      for (std::size_t h = 0; h < a_.heads; ++h)
        for (std::size_t i = 0; i < a_.queries; ++i)
          for (std::size_t j = 0; j < a_.keys; ++j) *place++ = keeps(a_, b, h, i, j) ? kept : removed;
    return to;
  }

  // ggml's output has the heads of a query side by side.
  void give(const ggml_tensor* o) const {
    const auto* from = static_cast<const float*>(o->data);
    for (std::size_t b = 0; b < a_.batches; ++b)
      for (std::size_t i = 0; i < a_.queries; ++i)
        for (std::size_t h = 0; h < a_.heads; ++h, from += a_.value_size)
          std::memcpy(
              static_cast<float*>(a_.o.data) + b * a_.o.batch_stride + h * a_.o.head_stride + i * a_.o.row_stride, from,
              a_.value_size * sizeof(float));
  }

  const Arguments& a_;
  ggml_type type_;
  std::unique_ptr<ggml_context, Free> context_;
};

template <ggml_type kType>
attncert_attention_status run(const Arguments* a) {
  if (a->bias.data != nullptr || a->slopes != nullptr) return ATTNCERT_ATTENTION_DECLINED;
  return Graph(*a, kType).run();
}

constexpr attncert_attention_kernel kernel(const char* name, attncert_dtype dtype,
                                           decltype(attncert_attention_kernel::run) function) {
  return {ATTNCERT_ATTENTION_ABI,
          sizeof(attncert_attention_kernel),
          name,
          "f32",
          "causal,window,window-after,mask,softcap,sinks,lengths,heads,batches,value-size",
          dtype,
          ATTNCERT_F32,
          64,
          ATTNCERT_ATTENTION_NO_LSE,
          function,
          nullptr,
          dtype};
}

constexpr attncert_attention_kernel f32 = kernel("ggml-flash.f32", ATTNCERT_F32, run<GGML_TYPE_F32>),
                                    f16 = kernel("ggml-flash.f16", ATTNCERT_F16, run<GGML_TYPE_F16>);

}  // namespace

extern "C" const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  ggml_cpu_init();
  static const attncert_attention_kernel* const all[] = {&f32, &f16};
  *count = sizeof all / sizeof all[0];
  return all;
}
