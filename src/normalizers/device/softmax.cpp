// softmax, softmax1 and top-k-softmax on a device: src/device/kernels/softmax.cl.
#include <algorithm>

#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"

namespace attncert {
namespace {

// The Softmax of softmax.cl, and in it the Scale of exponential.cl.
struct DeviceSoftmax {
  float down, up, temperature, rate, head, tail, inverse;
  std::uint32_t k;
};
static_assert(sizeof(DeviceSoftmax) == 32);

DeviceProgram softmax_program(const Batch<float>& batch, const char* option = "") {
  const Scale<float>& s = batch.scale;
  const auto k = static_cast<std::uint32_t>(std::min<std::uint64_t>(batch.parameters.k, std::uint64_t{1} << 31));
  const DeviceSoftmax call{s.down, s.up, s.temperature, s.rate, s.head, s.tail, s.inverse, k};
  return {device::softmax_text, "softmax", std::string(s.unit ? "-DUNIT=1" : "-DUNIT=0") + option, call};
}

struct SoftmaxOnDevice : PlainEntry {
  static constexpr const char* normalizer = "softmax";
  static DeviceProgram program(const Batch<float>& batch) { return softmax_program(batch); }
};

struct Softmax1OnDevice : PlainEntry {
  static constexpr const char* normalizer = "softmax1";
  static DeviceProgram program(const Batch<float>& batch) { return softmax_program(batch, " -DZERO=1"); }
};

struct TopKSoftmaxOnDevice : PlainEntry {
  static constexpr const char* normalizer = "top-k-softmax";
  static bool accepts(const attncert_parameters& p) { return p.k > 0; }
  static DeviceProgram program(const Batch<float>& batch) { return softmax_program(batch, " -DTOP=1"); }
};

}  // namespace
}  // namespace attncert

// Budget and campaign tolerance: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(softmax, SoftmaxOnDevice,
                       (Budget{.unit = 3.85, .other = 5.45, .tolerance_unit = 3, .tolerance_other = 4}))
ATTNCERT_DEVICE_KERNEL(softmax1, Softmax1OnDevice,
                       (Budget{.unit = 3.85, .other = 5.45, .tolerance_unit = 3, .tolerance_other = 4}))
ATTNCERT_DEVICE_KERNEL(top_k_softmax, TopKSoftmaxOnDevice,
                       (Budget{.unit = 3.85, .other = 5.45, .tolerance_unit = 3, .tolerance_other = 4}))
