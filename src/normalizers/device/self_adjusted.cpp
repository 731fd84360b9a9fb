// Self-adjusted softmax and its derivatives on a device: src/device/kernels/self_adjusted.cl and self_adjusted_vjp.cl.
#include <cmath>
#include <limits>

#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"
#include "src/normalizers/device/temperature.hpp"

namespace attncert {
namespace {

// Two logits that differ are 2^-149 apart, 2^11 T: nothing of an exponential is left, whatever it is multiplied by.
constexpr double least = 0x1p-160;

// The SelfAdjusted of adjusted.cl.
struct DeviceSelfAdjusted {
  DeviceTemperature temperature;
  DeviceNumber inverse;
  std::int64_t variant;
};
static_assert(sizeof(DeviceSelfAdjusted) == 48);

template <char kVariant>
DeviceSelfAdjusted self_adjusted(double temperature, double reach) {
  return {device_temperature(temperature, reach, least), device_quotient(1, temperature), kVariant - '0'};
}

// A factor is at most 2^128 2^157 where logits differ and count: exponentials count to e^-302.
template <char kVariant>
struct SelfAdjustedOnDevice : PlainEntry {
  static constexpr const char name[] = {'s', 'a', '-', 's', 'o', 'f', 't', 'm', 'a', 'x', '-', 'v', kVariant, 0};
  static constexpr const char* normalizer = name;
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::self_adjusted_text, "self_adjusted", "", self_adjusted<kVariant>(batch.temperature, 320)};
  }
};

// The SelfAdjustedVjp of self_adjusted_vjp.cl.
struct DeviceSelfAdjustedVjp {
  DeviceSelfAdjusted adjusted;
  float far;
  std::uint32_t unused;
};
static_assert(sizeof(DeviceSelfAdjustedVjp) == 56);

// Exponentials count to e^-560 (docs/budgets.md).
template <char kVariant>
struct SelfAdjustedVjpOnDevice : PlainEntry {
  static constexpr const char name[] = {'s', 'a', '-', 's',      'o', 'f', 't', 'm', 'a',
                                        'x', '-', 'v', kVariant, '-', 'v', 'j', 'p', 0};
  static constexpr const char* normalizer = name;
  static DeviceProgram program(const Batch<float>& batch) {
    const DeviceSelfAdjustedVjp call{self_adjusted<kVariant>(batch.temperature, 560),
                                     rounded_up(0x1p13 * batch.temperature), 0};
    return {device::self_adjusted_vjp_text, "self_adjusted_vjp", "", call};
  }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(sa_softmax_v0, SelfAdjustedOnDevice<'0'>, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sa_softmax_v1, SelfAdjustedOnDevice<'1'>, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sa_softmax_v2, SelfAdjustedOnDevice<'2'>, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sa_softmax_v3, SelfAdjustedOnDevice<'3'>, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sa_softmax_v0_vjp, SelfAdjustedVjpOnDevice<'0'>,
                       (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(sa_softmax_v1_vjp, SelfAdjustedVjpOnDevice<'1'>,
                       (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(sa_softmax_v2_vjp, SelfAdjustedVjpOnDevice<'2'>,
                       (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(sa_softmax_v3_vjp, SelfAdjustedVjpOnDevice<'3'>,
                       (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
