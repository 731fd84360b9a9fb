// sigmoid and its derivative on a device: src/device/kernels/sigmoid.cl and sigmoid_vjp.cl.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/device/kernel_texts.hpp"
#include "src/normalizers/device/rows.hpp"
#include "src/normalizers/device/temperature.hpp"

namespace attncert {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
constexpr int digits = 5, digit_bits = 40;

// The BiasedArgument of biased_argument.cl.
struct DeviceArgument {
  DeviceTemperature temperature;
  std::array<std::int64_t, digits> centre;
  float low, high;
};
static_assert(sizeof(DeviceArgument) == 72);

// The SigmoidVjp of sigmoid_vjp.cl.
struct DeviceSigmoidVjp {
  DeviceArgument argument;
  DeviceNumber rate;
};
static_assert(sizeof(DeviceSigmoidVjp) == 88);

// z / T + b, within 2^-50 of itself or 1: the product has two parts, and where z cancels the first, nothing is lost.
class Argument {
 public:
  Argument(double temperature, double bias)
      : temperature_(temperature), product_(bias * temperature), rest_(std::fma(bias, temperature, -product_)) {}
  bool beyond() const { return std::isinf(product_); }  // whatever z is
  double of(float z) const { return ((static_cast<double>(z) + product_) + rest_) / temperature_; }

 private:
  double temperature_, product_, rest_;
};

// The least float whose argument is at least `bound`, from one that is near; +infinity where no finite one is.
float first_at(const Argument& argument, double near, double bound) {
  auto z = static_cast<float>(std::clamp(near, -static_cast<double>(most), static_cast<double>(most)));
  while (argument.of(z) < bound) z = std::nextafter(z, infinity);
  while (z > -most && argument.of(std::nextafter(z, -infinity)) >= bound) z = std::nextafter(z, -infinity);
  return z;
}

__extension__ using Product = unsigned __int128;

// (2^log2 - b) T in units of 2^(e - 120), modulo 2^200, in digits of 40 bits.
std::array<std::int64_t, digits> centre(const DeviceTemperature& t, double bias, int log2) {
  int exponent = 0;
  const double part = std::frexp(std::abs(bias), &exponent);
  const Product product = static_cast<Product>(std::ldexp(part, 53)) * t.mantissa;
  const int place = exponent - 53 - 52 + 120;  // of the product
  std::array<std::int64_t, digits> sum{};
  std::int64_t carry = 0;
  constexpr std::int64_t one_digit = (std::int64_t{1} << digit_bits) - 1;
  const auto digit_of = [](Product value, int at, int j) {  // of value 2^at
    const int up = at - digit_bits * j;
    if (up >= digit_bits || up <= -128) return std::int64_t{0};
    return static_cast<std::int64_t>(up >= 0 ? value << up : value >> -up) & one_digit;
  };
  for (int j = 0; j < digits; ++j) {
    const std::int64_t whole = digit_of(t.mantissa, 120 - 52 + log2, j), part_of_bias = digit_of(product, place, j);
    const std::int64_t digit = whole + carry + (bias > 0 ? -part_of_bias : part_of_bias);
    sum[static_cast<std::size_t>(j)] = digit & one_digit;
    carry = digit >> digit_bits;
  }
  return sum;
}

// Of logits whose argument is within `bound`, those from low to high; of none where it is beyond that whatever z is.
DeviceArgument argument_of(const Batch<float>& batch, int log2, double bound) {
  const double bias = batch.parameters.bias;
  const DeviceTemperature t = device_temperature(batch.temperature, 1, std::numeric_limits<double>::denorm_min());
  const double temperature = std::ldexp(static_cast<double>(t.mantissa), t.exponent - 52);
  const Argument argument(temperature, bias);
  DeviceArgument call{t, centre(t, bias, log2), infinity, -infinity};
  if (argument.beyond()) return call;
  call.low = first_at(argument, (-bound - bias) * temperature, -bound);
  call.high = std::nextafter(first_at(argument, (bound - bias) * temperature, bound), -infinity);
  return call;
}

struct SigmoidOnDevice : WithBias<PlainEntry> {
  static constexpr const char* normalizer = "sigmoid";
  static DeviceProgram program(const Batch<float>& batch) {
    DeviceArgument call = argument_of(batch, 7, 125);
    if (call.low == infinity && call.high == -infinity) {  // beyond: below low is 0, above high 1
      const bool zero = batch.parameters.bias < 0;
      call.low = zero ? infinity : -most, call.high = zero ? most : -infinity;
    }
    return {device::sigmoid_text, "sigmoid", "", call};
  }
};

// Slopes count to e^-937: a gradient is below 2^128, 1 / T below 2^1075, and half of the least float is 2^-150.
struct SigmoidVjpOnDevice : WithBias<PlainEntry> {
  static constexpr const char* normalizer = "sigmoid-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::sigmoid_vjp_text, "sigmoid_vjp", "",
            DeviceSigmoidVjp{argument_of(batch, 10, 1000), device_quotient(1, batch.temperature)}};
  }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(sigmoid, SigmoidOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(sigmoid_vjp, SigmoidVjpOnDevice, (Budget{.unit = 0x1p-19, .other = 0x1p-19, .last = 0.5}))
