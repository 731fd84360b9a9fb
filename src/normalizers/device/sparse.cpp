// sparsemax, 1.5-entmax, alpha-entmax and their derivatives on a device: src/device/kernels/sparsemax.cl,
// sparsemax_vjp.cl, entmax15.cl, entmax15_vjp.cl, entmax.cl and entmax_vjp.cl.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/long_number.hpp"
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

// The Entmax of entmax_threshold.cl.
struct DeviceEntmax {
  DeviceLong rate, exponent;
  std::array<std::uint64_t, 3 * exponential_terms> series;
  float reach;
  std::uint32_t bits;
};
static_assert(sizeof(DeviceEntmax) == 480);

// alpha - 1 = above / below.
struct Alpha {
  std::uint64_t above, below;
  bool linear() const { return above == below; }
  bool square() const { return above < below && below - above == above; }
};
Alpha alpha_of(const attncert_parameters& p) { return {p.alpha_numerator - p.alpha_denominator, p.alpha_denominator}; }

// A step of the gap leaves b times its own square at most, and 2^-26 / b is the last one's.
DeviceEntmax entmax(const Alpha& alpha, double temperature) {
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(temperature, &exponent), 53));
  const double b = static_cast<double>(alpha.below) / static_cast<double>(alpha.above);
  return {device_long(alpha.above, alpha.below, mantissa, 53 - exponent), device_long(alpha.below, alpha.above, 1, 0),
          exponential_series(), rounded_up(b * temperature * (1 + 0x1p-50)),
          static_cast<std::uint32_t>(26 + std::max(0, std::ilogb(b) + 1))};
}

// alpha > 1, as the normalizer has it, and not above 2^20 + 1: numbers have exponents of 32 bits, and the threshold is
// L^(1 - alpha).
struct AlphaOnDevice : PlainEntry {
  static bool accepts(const attncert_parameters& p) {
    if (p.alpha_denominator == 0 || p.alpha_numerator <= p.alpha_denominator) return false;
    const Alpha alpha = alpha_of(p);
    return (alpha.above - 1) >> 20 < alpha.below;
  }
};

struct EntmaxOnDevice : AlphaOnDevice {
  static constexpr const char* normalizer = "entmax";
  static DeviceProgram program(const Batch<float>& batch) {
    const Alpha alpha = alpha_of(batch.parameters);
    if (alpha.linear()) return SparsemaxOnDevice::program(batch);
    if (alpha.square()) return Entmax15OnDevice::program(batch);
    return {device::entmax_text, "entmax", "", entmax(alpha, batch.temperature)};
  }
};

// The EntmaxVjp of entmax_vjp.cl.
struct DeviceEntmaxVjp {
  DeviceEntmax entmax;
  DeviceLong over;
  DeviceNumber inverse;
  float rounded_over;
  std::uint32_t rises;
};
static_assert(sizeof(DeviceEntmaxVjp) == 536);

struct EntmaxVjpOnDevice : AlphaOnDevice {
  static constexpr const char* normalizer = "entmax-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    const Alpha alpha = alpha_of(batch.parameters);
    if (alpha.linear()) return SparsemaxVjpOnDevice::program(batch);
    if (alpha.square()) return Entmax15VjpOnDevice::program(batch);
    const bool rises = alpha.above > alpha.below;
    const std::uint64_t over = rises ? alpha.above - alpha.below : alpha.below - alpha.above;
    const DeviceEntmaxVjp call{
        entmax(alpha, batch.temperature), device_long(over, alpha.above, 1, 0), device_quotient(1, batch.temperature),
        static_cast<float>(static_cast<double>(over) / static_cast<double>(alpha.above)), rises ? 1U : 0U};
    return {device::entmax_vjp_text, "entmax_vjp", "", call};
  }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(sparsemax, SparsemaxOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sparsemax_vjp, SparsemaxVjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(entmax15, Entmax15OnDevice, (Budget{.unit = 0.52, .other = 0.52}))
ATTNCERT_DEVICE_KERNEL(entmax15_vjp, Entmax15VjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
ATTNCERT_DEVICE_KERNEL(entmax, EntmaxOnDevice, (Budget{.unit = 0.52, .other = 0.52}))
ATTNCERT_DEVICE_KERNEL(entmax_vjp, EntmaxVjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
