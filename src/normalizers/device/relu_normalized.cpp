// relu-normalized on a device: src/device/kernels/relu_normalized.cl.
#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"

namespace attncert {
namespace {

struct ReluNormalizedOnDevice : PlainEntry {
  static constexpr const char* normalizer = "relu-normalized";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::relu_normalized_text, "relu_normalized", "", static_cast<float>(batch.temperature)};
  }
};

}  // namespace
}  // namespace attncert

// Budget: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(relu_normalized, ReluNormalizedOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
