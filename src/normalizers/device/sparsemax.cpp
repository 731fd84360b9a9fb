// sparsemax on a device: src/device/kernels/sparsemax.cl.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"

namespace attncert {
namespace {

// The Temperature of sparsemax.cl.
struct DeviceTemperature {
  std::uint64_t mantissa, inverse;
  float reach;
  std::int32_t exponent;
};
static_assert(sizeof(DeviceTemperature) == 24);

// Logits differ by 0 or by 2^-149 and more: below 2^-150 every T gives ties of the largest logit all weight. Above
// 2^220 rows are uniform (docs/budgets.md).
DeviceTemperature device_temperature(double given) {
  const double temperature = std::clamp(given, 0x1p-150, FormatLimits<float>::sparse_limit);
  DeviceTemperature t{};
  const double half = std::frexp(temperature, &t.exponent);  // in [1/2, 1)
  t.exponent -= 1;
  t.mantissa = static_cast<std::uint64_t>(std::ldexp(half, 53));
  t.inverse = static_cast<std::uint64_t>(0x1p115L / static_cast<long double>(t.mantissa) + 0.5L);
  t.reach = temperature < 0x1p127 ? static_cast<float>(temperature) : std::numeric_limits<float>::infinity();
  if (static_cast<double>(t.reach) < temperature)
    t.reach = std::nextafter(t.reach, std::numeric_limits<float>::infinity());
  return t;
}

struct SparsemaxOnDevice : PlainEntry {
  static constexpr const char* normalizer = "sparsemax";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::sparsemax_text, "sparsemax", "", device_temperature(batch.temperature)};
  }
};

}  // namespace
}  // namespace attncert

// Budget: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(sparsemax, SparsemaxOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
