#include "bench/libtorch_attention.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace attncert::bench {

void libtorch_attention(const float* q, const float* k, const float* v, std::size_t heads, std::size_t length,
                        std::size_t size, bool causal, float* o) {
  const c10::InferenceMode inference;
  at::set_num_threads(1);
  const auto tensor = [&](const float* data) {
    const auto whole = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    return at::from_blob(const_cast<float*>(data), {1, whole(heads), whole(length), whole(size)}, at::kFloat);
  };
#if __has_include(<ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>)
  const at::Tensor made = at::scaled_dot_product_attention(tensor(q), tensor(k), tensor(v), {}, 0.0, causal);
#else
  const at::Tensor made =
      std::get<0>(at::_scaled_dot_product_attention(tensor(q), tensor(k), tensor(v), {}, 0.0, false, causal));
#endif
  tensor(o).copy_(made);
}

}  // namespace attncert::bench
