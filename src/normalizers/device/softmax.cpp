// softmax, softmax1 and top-k-softmax on a device: src/device/kernels/softmax.cl.
#include <algorithm>
#include <cmath>

#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"

namespace attncert {
namespace {

// The Softmax of exponential.cl, and in it the Scale.
struct DeviceSoftmax {
  float down, up, temperature, rate, head, tail, inverse;
  std::uint32_t k;
};
static_assert(sizeof(DeviceSoftmax) == 32);

DeviceSoftmax softmax_call(const Batch<float>& batch) {
  const Scale<float>& s = batch.scale;
  const auto k = static_cast<std::uint32_t>(std::min<std::uint64_t>(batch.parameters.k, std::uint64_t{1} << 31));
  return {s.down, s.up, s.temperature, s.rate, s.head, s.tail, s.inverse, k};
}
std::string unit_option(const Batch<float>& batch) { return batch.scale.unit ? "-DUNIT=1" : "-DUNIT=0"; }

DeviceProgram softmax_program(const Batch<float>& batch, const char* option = "") {
  return {device::softmax_text, "softmax", unit_option(batch) + option, softmax_call(batch)};
}

// The LogSoftmax of logarithm.cl.
struct DeviceLogSoftmax {
  DeviceSoftmax softmax;
  float halved, first, inverse, second, third;
};
static_assert(sizeof(DeviceLogSoftmax) == sizeof(DeviceSoftmax) + 5 * sizeof(float));

// Below 2^-290 every quotient but 0 overflows, above 2^290 none counts beside a logarithm.
DeviceLogSoftmax log_softmax_call(const Batch<float>& batch) {
  const double temperature = std::clamp(batch.temperature, 0x1p-290, 0x1p290);
  const float halved = temperature > 1 ? 0.5f : 1.0f;
  int exponent = 0;
  const double part = std::frexp(1 / (temperature * static_cast<double>(halved)), &exponent);  // in [1/2, 1)
  exponent -= 1;
  float powers[3];
  for (float& power : powers) {
    const int step = std::clamp(exponent, -126, 127);
    power = std::ldexp(1.0f, step);
    exponent -= step;
  }
  return {softmax_call(batch), halved, powers[0], static_cast<float>(2 * part), powers[1], powers[2]};
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

struct LogSoftmaxOnDevice : PlainEntry {
  static constexpr const char* normalizer = "log-softmax";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::log_softmax_text, "log_softmax", unit_option(batch), log_softmax_call(batch)};
  }
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
ATTNCERT_DEVICE_KERNEL(log_softmax, LogSoftmaxOnDevice, (Budget{.unit = 3.9, .other = 5}))
