// softmax on a device: src/device/kernels/softmax.cl.
#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"
#include "src/normalizers/entry.hpp"

namespace attncert {
namespace {

// The Scale of exponential.cl.
struct DeviceScale {
  float down, up, temperature, rate, head, tail, inverse;
};
static_assert(sizeof(DeviceScale) == 7 * sizeof(float));

struct SoftmaxOnDevice : PlainEntry {
  static constexpr const char* normalizer = "softmax";
  static attncert_status run(const Batch<float>& batch) {
    const Scale<float>& s = batch.scale;
    const DeviceScale scale{s.down, s.up, s.temperature, s.rate, s.head, s.tail, s.inverse};
    static const RowKernels unit{device::softmax_text, "softmax_held", "softmax_long", "-DUNIT=1"},
        other{device::softmax_text, "softmax_held", "softmax_long", "-DUNIT=0"};
    return run_on_device(batch, s.unit ? unit : other, scale);
  }
};

}  // namespace
}  // namespace attncert

// Budget and campaign tolerance: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(softmax, "softmax", SoftmaxOnDevice,
                       (Budget{.unit = 3.85, .other = 5.45, .tolerance_unit = 3, .tolerance_other = 4}))
