// ssmax and sigmoid-normalized with its derivative on a device: exponentials of integers
// (src/device/kernels/number.cl).
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

// The Ssmax of ssmax.cl.
struct DeviceSsmax {
  DeviceTemperature temperature;
  std::int64_t sign;
};
static_assert(sizeof(DeviceSsmax) == 32);

struct SsmaxOnDevice : WithScale<PlainEntry> {
  static constexpr const char* normalizer = "ssmax";
  // A depth counts to 104 / log n, log n from 0.69 on.
  static DeviceProgram program(const Batch<float>& batch) {
    const double s = batch.parameters.scale;
    const double temperature = s == 0 ? std::numeric_limits<double>::max() : batch.temperature / std::abs(s);
    const DeviceSsmax call{device_temperature(temperature, 160, least), s > 0 ? 1 : s < 0 ? -1 : 0};
    return {device::ssmax_text, "ssmax", "", call};
  }
};

// The Sigmoid of sigma_terms.cl.
struct DeviceSigmoid {
  DeviceTemperature temperature;
  float left, right;
  DeviceNumber rate;
};
static_assert(sizeof(DeviceSigmoid) == 48);

float rounded_down(double x) {
  if (x >= static_cast<double>(std::numeric_limits<float>::max())) return std::numeric_limits<float>::max();
  const auto nearest = static_cast<float>(x);
  return static_cast<double>(nearest) > x ? std::nextafter(nearest, 0.0F) : nearest;
}

// Logits count to `reach` T on both sides of 0.
DeviceSigmoid sigmoid(double given, double reach) {
  const DeviceTemperature t = device_temperature(given, reach, least);
  const double temperature = std::ldexp(static_cast<double>(t.mantissa), t.exponent - 52);
  return {t, -rounded_down(48 * temperature), rounded_down(reach * temperature), device_quotient(1, given)};
}

struct SigmoidNormalizedOnDevice : PlainEntry {
  static constexpr const char* normalizer = "sigmoid-normalized";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::sigmoid_normalized_text, "sigmoid_normalized", "", sigmoid(batch.temperature, 128)};
  }
};

struct SigmoidNormalizedVjpOnDevice : PlainEntry {
  static constexpr const char* normalizer = "sigmoid-normalized-vjp";
  static DeviceProgram program(const Batch<float>& batch) {  // to e^-352, as softmax-vjp
    return {device::sigmoid_normalized_vjp_text, "sigmoid_normalized_vjp", "", sigmoid(batch.temperature, 352)};
  }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(ssmax, SsmaxOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sigmoid_normalized, SigmoidNormalizedOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sigmoid_normalized_vjp, SigmoidNormalizedVjpOnDevice,
                       (Budget{.unit = 0x1p-18, .other = 0x1p-18, .last = 0.5}))
