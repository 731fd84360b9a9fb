// The list of built-in kernels. It stands here, and its interface in src/kernel, so that src/kernel knows no kernel.
#include "src/normalizers/built_in.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "built_in_list.hpp"  // made by CMakeLists.txt
#include "src/device/device.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "src/normalizers/device/program.hpp"
#include "src/normalizers/half/half.hpp"

namespace attncert {

#define ATTNCERT_DECLARE(name) extern const BuiltIn name##_f32_kernel, name##_f64_kernel;
ATTNCERT_BUILT_IN_KERNELS(ATTNCERT_DECLARE)
#undef ATTNCERT_DECLARE
#define ATTNCERT_DECLARE(name)                                                                        \
  extern const BuiltIn name##_device_f32_kernel, name##_device_f16_kernel, name##_device_bf16_kernel; \
  extern const DeviceKernel name##_device_program;
ATTNCERT_DEVICE_KERNELS(ATTNCERT_DECLARE)
#undef ATTNCERT_DECLARE

namespace {

#define ATTNCERT_BOTH(name) &name##_f32_kernel, &name##_f64_kernel,
constexpr const BuiltIn* kList[] = {ATTNCERT_BUILT_IN_KERNELS(ATTNCERT_BOTH) & softmax_half_ulp_f32_kernel};
#undef ATTNCERT_BOTH
#define ATTNCERT_THREE(name) &name##_device_f32_kernel, &name##_device_f16_kernel, &name##_device_bf16_kernel,
constexpr const BuiltIn* kDeviceList[] = {ATTNCERT_DEVICE_KERNELS(ATTNCERT_THREE)};
#undef ATTNCERT_THREE
#define ATTNCERT_PROGRAM(name) name##_device_program,

// The list and, behind it, a kernel of each format of 16 bits for every f32 kernel in it; the kernels of devices.
class Table {
 public:
  Table() : entries_(std::begin(kList), std::end(kList)) {
    add_halves(std::make_index_sequence<std::size(kList)>());
    for (const BuiltIn& half : halves_) entries_.push_back(&half);
    for (const BuiltIn* entry : entries_) descriptors_.push_back(&entry->descriptor);
    for (const BuiltIn* entry : kDeviceList) {
      entries_.push_back(entry);
      on_device_.push_back(&entry->descriptor);
    }
  }
  std::span<const BuiltIn* const> entries() const { return entries_; }
  std::span<const attncert_kernel* const> descriptors() const { return descriptors_; }
  std::span<const attncert_kernel* const> on_device() const { return on_device_; }

 private:
  template <std::size_t... kIndices>
  void add_halves(std::index_sequence<kIndices...>) {
    names_.reserve(std::size(formats) * std::size(kList));  // descriptors point to them
    (add<kList[kIndices]>(std::make_index_sequence<std::size(formats)>()), ...);
  }

  template <const BuiltIn* kSingle, std::size_t... kFormats>
  void add(std::index_sequence<kFormats...>) {
    if (kSingle->descriptor.dtype_in == ATTNCERT_F32) (add_half<kSingle, kFormats>(), ...);
  }

  template <const BuiltIn* kSingle, std::size_t kFormat>
  void add_half() {
    constexpr const Format& half = formats[kFormat];
    if constexpr (half.bytes == 2) {
      std::string name = kSingle->descriptor.name;
      name.resize(name.size() - format(ATTNCERT_F32).name.size());
      name += half.name;
      halves_.push_back(half_kernel<kSingle, half.dtype>(names_.emplace_back(std::move(name)).c_str()));
    }
  }

  std::vector<const BuiltIn*> entries_;
  std::vector<std::string> names_;
  std::vector<BuiltIn> halves_;
  std::vector<const attncert_kernel*> descriptors_, on_device_;
};

const Table& table() {
  static const Table built;
  return built;
}

}  // namespace

std::span<const attncert_kernel* const> built_in_kernels() { return table().descriptors(); }

std::span<const attncert_kernel* const> device_kernels() { return table().on_device(); }

std::span<const DeviceKernel> device_programs() {
  static const DeviceKernel list[] = {ATTNCERT_DEVICE_KERNELS(ATTNCERT_PROGRAM)};
  return list;
}

const Result<std::string>& device_name() {
  static const Result<std::string> name =
      device::device() ? Result<std::string>((*device::device())->name()) : device::device().error();
  return name;
}

const attncert_kernel* find_kernel(std::string_view normalizer, attncert_dtype dtype) {
  for (const attncert_kernel* kernel : built_in_kernels()) {
    if (kernel->normalizer == normalizer && kernel->dtype_in == dtype) return kernel;
  }
  return nullptr;
}

const Budget* built_in_budget(const attncert_kernel& kernel) {
  for (const BuiltIn* entry : table().entries())
    if (&entry->descriptor == &kernel) return &entry->budget;
  return nullptr;
}

double ulp_budget(const attncert_kernel& kernel, double temperature) {
  const Budget* budget = built_in_budget(kernel);
  if (budget == nullptr) return std::numeric_limits<double>::infinity();
  const double bound = budget->bound(temperature);
  if (budget->narrowed)  // ulp of f32 as ulp of the half type
    return budget->last + std::ldexp(budget->inner_last + bound, format(kernel.dtype_out).digits - 24);
  const double tolerance = temperature == 1 ? budget->tolerance_unit : budget->tolerance_other;
  return tolerance > 0 ? std::min(tolerance, budget->last + bound) : budget->last + bound;
}

}  // namespace attncert
