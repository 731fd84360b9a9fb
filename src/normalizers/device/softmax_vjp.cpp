// The derivatives of the softmax family on a device: src/device/kernels/softmax_vjp.cl and log_softmax_vjp.cl.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"
#include "src/normalizers/device/temperature.hpp"

namespace attncert {
namespace {

// Two logits that differ are 2^-149 apart, 2^11 T: nothing of an exponential is left, whatever it is multiplied by.
constexpr double least = 0x1p-160;
// A logit 352 T below the largest has e^-352 = 2^-507.8, and counts where logits are that near, T >= 2^-158: with 2^31
// of them, a gradient below 2^128 and 1 / T it is less than 2^-190.
constexpr double reach = 352;
// log n is at least 0.69.
constexpr double reach_of_ssmax = 512;

// The Exponentials of exponentials.cl.
struct DeviceExponentials {
  DeviceTemperature temperature;
  DeviceNumber rate;
  std::int64_t sign;
  std::uint32_t zero, counted, k, unused;
};
static_assert(sizeof(DeviceExponentials) == 64);

DeviceExponentials exponentials(const Batch<float>& batch) {
  const double t = batch.temperature;
  return {device_temperature(t, reach, least), device_quotient(1, t), 1, 0, 0, 0, 0};
}

struct SoftmaxVjpOnDevice : PlainEntry {
  static constexpr const char* normalizer = "softmax-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::softmax_vjp_text, "softmax_vjp", "", exponentials(batch)};
  }
};

struct Softmax1VjpOnDevice : PlainEntry {
  static constexpr const char* normalizer = "softmax1-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    DeviceExponentials call = exponentials(batch);
    call.zero = 1;
    return {device::softmax_vjp_text, "softmax_vjp", "", call};
  }
};

struct TopKSoftmaxVjpOnDevice : PlainEntry {
  static constexpr const char* normalizer = "top-k-softmax-vjp";
  static bool accepts(const attncert_parameters& p) { return p.k > 0; }
  static DeviceProgram program(const Batch<float>& batch) {
    DeviceExponentials call = exponentials(batch);
    call.k = static_cast<std::uint32_t>(std::min<std::uint64_t>(batch.parameters.k, std::uint64_t{1} << 31));
    return {device::softmax_vjp_text, "softmax_vjp", "-DTOP=1", call};
  }
};

struct SsmaxVjpOnDevice : WithScale<PlainEntry> {
  static constexpr const char* normalizer = "ssmax-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    const double s = batch.parameters.scale;
    const double temperature = s == 0 ? std::numeric_limits<double>::max() : batch.temperature / std::abs(s);
    const DeviceExponentials call{device_temperature(temperature, reach_of_ssmax, least),
                                  device_quotient(s, batch.temperature),
                                  s > 0   ? 1
                                  : s < 0 ? -1
                                          : 0,
                                  0,
                                  1,
                                  0,
                                  0};
    return {device::softmax_vjp_text, "softmax_vjp", "", call};
  }
};

struct LogSoftmaxVjpOnDevice : PlainEntry {
  static constexpr const char* normalizer = "log-softmax-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::log_softmax_vjp_text, "log_softmax_vjp", "", exponentials(batch)};
  }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(softmax_vjp, SoftmaxVjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(softmax1_vjp, Softmax1VjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(top_k_softmax_vjp, TopKSoftmaxVjpOnDevice,
                       (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(ssmax_vjp, SsmaxVjpOnDevice, (Budget{.unit = 0x1p-12, .other = 0x1p-12, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(log_softmax_vjp, LogSoftmaxVjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
