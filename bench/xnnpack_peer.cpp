// The microkernels that XNNPACK chooses for softmax of f32 rows on AVX-512 (its configurations): largest, exponentials
// and their sum, product. Built from its source where ATTNCERT_XNNPACK names a copy of it (bench/CMakeLists.txt).
#include <hwy/targets.h>

#include "bench/peers.hpp"

struct xnn_f32_default_params;
extern "C" {
void xnn_f32_rmax_ukernel__avx512f_u64_acc4(std::size_t, const float*, float*, const xnn_f32_default_params*);
void xnn_f32_raddstoreexpminusmax_ukernel__avx512f_rr2_p5_u64_acc2(std::size_t, const float*, const float*, float*,
                                                                   float*, const void*);
void xnn_f32_vmulc_ukernel__avx512f_u32(std::size_t, const float*, const float*, float*, const xnn_f32_default_params*);
}

namespace attncert::bench {
namespace {

std::function<void()> softmax(const PeerCall& call) {
  if ((hwy::SupportedTargets() & HWY_AVX3) == 0) return {};
  return [call] {
    const std::size_t bytes = call.length * sizeof(float);
    for (std::size_t r = 0; r < call.rows; ++r) {
      const float* const x = call.input + r * call.length;
      float* const y = call.output + r * call.length;
      float largest = x[0], sum = 0;
      xnn_f32_rmax_ukernel__avx512f_u64_acc4(bytes, x, &largest, nullptr);
      xnn_f32_raddstoreexpminusmax_ukernel__avx512f_rr2_p5_u64_acc2(bytes, x, &largest, y, &sum, nullptr);
      const float inverse = 1 / sum;
      xnn_f32_vmulc_ukernel__avx512f_u32(bytes, y, &inverse, y, nullptr);
    }
  };
}

}  // namespace

void add_xnnpack(std::vector<Peer>& list) { list.push_back({"XNNPACK", "softmax", softmax}); }

}  // namespace attncert::bench
