// taylor-softmax and its derivative on a device: src/device/kernels/taylor_softmax.cl and taylor_softmax_vjp.cl.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/device/kernel_texts.hpp"
#include "src/normalizers/derivatives/taylor_slope.hpp"
#include "src/normalizers/device/rows.hpp"
#include "src/normalizers/device/taylor_roots.hpp"
#include "src/normalizers/device/temperature.hpp"
#include "src/normalizers/separable/taylor_order.hpp"

namespace attncert {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();

// The Taylor of taylor.cl.
template <std::size_t kPairs>
struct DeviceTaylor {
  DeviceNumber rate;
  std::uint32_t pairs, more;
  std::uint64_t roots[2 * kPairs];
};
constexpr std::size_t pairs_of_weights = kLargestTaylorOrder / 2, pairs_of_both = kLargestTaylorOrder - 1;
static_assert(sizeof(DeviceTaylor<pairs_of_weights>) == 408);

void add_roots(std::size_t order, std::uint64_t* to) {
  for (const RootPair& root : taylor_roots(order).pairs) {
    const long double real = root.real.high + root.real.low;
    const auto size = static_cast<std::uint64_t>(std::llrint(std::ldexp(std::abs(real), 57)));
    *to++ = size | std::uint64_t{real < 0} << 63;
    *to++ = static_cast<std::uint64_t>(std::ldexp(multiply(root.imaginary, root.imaginary).high, 54));
  }
}

template <std::size_t kPairs>
DeviceTaylor<kPairs> taylor_call(const Batch<float>& batch) {
  const std::size_t order = batch.parameters.order;
  DeviceTaylor<kPairs> call{device_quotient(1, batch.temperature), static_cast<std::uint32_t>(order / 2), 0, {}};
  add_roots(order, call.roots);
  return call;
}

struct TaylorSoftmaxOnDevice : WithOrder<PlainEntry> {
  static constexpr const char* normalizer = "taylor-softmax";
  static DeviceProgram program(const Batch<float>& batch) {
    return {device::taylor_softmax_text, "taylor_softmax", "", taylor_call<pairs_of_weights>(batch)};
  }
};

// The TaylorVjp of taylor_softmax_vjp.cl.
struct DeviceTaylorVjp {
  DeviceTaylor<pairs_of_both> taylor;
  DeviceNumber root, sizes[2];
  float beside[2];
};
static_assert(sizeof(DeviceTaylorVjp) == 832);  // OpenCL lets all arguments have 1024

// n! F_(n-1)(z / T), of which the sign alone is right where the kernel needs no more: beyond -64 and -1/64 no order has
// its root.
class Slope {
 public:
  Slope(std::size_t order, double temperature) : order_(order), temperature_(temperature) {}
  bool counts(float z) const { return z > -64 * temperature_ && z < -temperature_ / 64; }
  long double at(float z) const {
    if (!counts(z)) return z < -temperature_ ? -1 : 1;
    return exact_taylor_slope(order_, static_cast<double>(z), temperature_);
  }

 private:
  std::size_t order_;
  double temperature_;
};

// The logits beside the root.
void find_beside(const Slope& slope, double near, DeviceTaylorVjp& call) {
  float above = static_cast<float>(std::clamp(near, -static_cast<double>(most), 0.0));
  while (slope.at(above) <= 0) above = std::nextafter(above, infinity);
  while (above > -most && slope.at(std::nextafter(above, -infinity)) > 0) above = std::nextafter(above, -infinity);
  const float both[] = {std::nextafter(above, -infinity), above};
  for (std::size_t i = 0; i < std::size(both); ++i) {
    const bool counts = both[i] >= -most && slope.counts(both[i]);
    call.beside[i] = counts ? both[i] : std::numeric_limits<float>::quiet_NaN();
    if (counts) call.sizes[i] = device_number(std::abs(slope.at(both[i])));
  }
}

struct TaylorSoftmaxVjpOnDevice : WithOrder<PlainEntry> {
  static constexpr const char* normalizer = "taylor-softmax-vjp";
  static DeviceProgram program(const Batch<float>& batch) {
    const std::size_t order = batch.parameters.order;
    DeviceTaylorVjp call{taylor_call<pairs_of_both>(batch), {}, {}, {}};
    call.taylor.more = static_cast<std::uint32_t>(order / 2 - 1);
    add_roots(order - 1, call.taylor.roots + order);
    const LongPair root = taylor_roots(order - 1).real;
    call.root = device_number(-root.high);
    find_beside(Slope(order, batch.temperature), static_cast<double>(root.high) * batch.temperature, call);
    return {device::taylor_softmax_vjp_text, "taylor_softmax_vjp", "", call};
  }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md.
ATTNCERT_DEVICE_KERNEL(taylor_softmax, TaylorSoftmaxOnDevice, (Budget{.unit = 0.5001, .other = 0.5001}))
ATTNCERT_DEVICE_KERNEL(taylor_softmax_vjp, TaylorSoftmaxVjpOnDevice,
                       (Budget{.unit = 0x1p-12, .other = 0x1p-12, .last = 0.5}))
