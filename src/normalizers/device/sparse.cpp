// sparsemax, 1.5-entmax and their derivatives on a device: src/device/kernels/sparsemax.cl, sparsemax_vjp.cl,
// entmax15.cl and entmax15_vjp.cl.
#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"
#include "src/normalizers/device/temperature.hpp"

namespace attncert {
namespace {

// Logits differ by 0 or by 2^-149 and more.
constexpr double least = 0x1p-150;

struct SparsemaxOnDevice : PlainEntry {
  static constexpr const char* normalizer = "sparsemax";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::sparsemax_text, "sparsemax", "", device_temperature(batch.temperature, 1, least)};
  }
};

struct Entmax15OnDevice : PlainEntry {
  static constexpr const char* normalizer = "entmax-1.5";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::entmax15_text, "entmax15", "", device_temperature(batch.temperature, 2, least)};
  }
};

// The SparsemaxVjp of sparsemax_vjp.cl, and the Entmax15Vjp of entmax15_vjp.cl.
struct DeviceSparseVjp {
  DeviceTemperature temperature;
  DeviceNumber rate;
};

struct SparsemaxVjpOnDevice : PlainEntry {
  static constexpr const char* normalizer = "sparsemax-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    const DeviceSparseVjp call{device_temperature(batch.temperature, 1, least), device_quotient(1, batch.temperature)};
    return {device::sparsemax_vjp_text, "sparsemax_vjp", "", call};
  }
};

struct Entmax15VjpOnDevice : PlainEntry {
  static constexpr const char* normalizer = "entmax-1.5-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    const DeviceSparseVjp call{device_temperature(batch.temperature, 2, least), device_quotient(1, batch.temperature)};
    return {device::entmax15_vjp_text, "entmax15_vjp", "", call};
  }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(sparsemax, SparsemaxOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sparsemax_vjp, SparsemaxVjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(entmax15, Entmax15OnDevice, (Budget{.unit = 0.52, .other = 0.52}))
ATTNCERT_DEVICE_KERNEL(entmax15_vjp, Entmax15VjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
