// softmax and softmax1 on a device: src/device/kernels/softmax.cl.
#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"

namespace attncert {
namespace {

// The Scale of exponential.cl.
struct DeviceScale {
  float down, up, temperature, rate, head, tail, inverse;
};
static_assert(sizeof(DeviceScale) == 7 * sizeof(float));

// zero: softmax1.
DeviceProgram softmax_program(const Batch<float>& batch, bool zero) {
  const Scale<float>& s = batch.scale;
  const DeviceScale scale{s.down, s.up, s.temperature, s.rate, s.head, s.tail, s.inverse};
  const std::string options = std::string(s.unit ? "-DUNIT=1" : "-DUNIT=0") + (zero ? " -DZERO=1" : " -DZERO=0");
  return {device::softmax_text, "softmax", options, scale};
}

struct SoftmaxOnDevice : PlainEntry {
  static constexpr const char* normalizer = "softmax";
  static DeviceProgram program(const Batch<float>& batch) { return softmax_program(batch, false); }
};

struct Softmax1OnDevice : PlainEntry {
  static constexpr const char* normalizer = "softmax1";
  static DeviceProgram program(const Batch<float>& batch) { return softmax_program(batch, true); }
};

}  // namespace
}  // namespace attncert

// Budget and campaign tolerance: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(softmax, SoftmaxOnDevice,
                       (Budget{.unit = 3.85, .other = 5.45, .tolerance_unit = 3, .tolerance_other = 4}))
ATTNCERT_DEVICE_KERNEL(softmax1, Softmax1OnDevice,
                       (Budget{.unit = 3.85, .other = 5.45, .tolerance_unit = 3, .tolerance_other = 4}))
