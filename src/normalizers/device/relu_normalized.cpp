// relu-normalized and its derivative on a device: src/device/kernels/relu_normalized.cl and relu_normalized_vjp.cl.
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

struct ReluNormalizedVjpOnDevice : PlainEntry {
  static constexpr const char* normalizer = "relu-normalized-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::relu_normalized_vjp_text, "relu_normalized_vjp", "", static_cast<float>(batch.temperature)};
  }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(relu_normalized, ReluNormalizedOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(relu_normalized_vjp, ReluNormalizedVjpOnDevice,
                       (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
