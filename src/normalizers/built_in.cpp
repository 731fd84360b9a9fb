// The list of built-in kernels. It stands here, and its interface in src/kernel, so that src/kernel knows no kernel.
#include "src/normalizers/built_in.hpp"

#include <array>
#include <limits>

#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::array kList = {&softmax_f32_kernel,     &softmax_f64_kernel,         &log_softmax_f32_kernel,
                              &log_softmax_f64_kernel, &sparsemax_f32_kernel,       &sparsemax_f64_kernel,
                              &ssmax_f32_kernel,       &ssmax_f64_kernel,           &softmax1_f32_kernel,
                              &softmax1_f64_kernel,    &softmax_half_ulp_f32_kernel};

constexpr auto kDescriptors = [] {
  std::array<const attncert_kernel*, kList.size()> descriptors{};
  for (std::size_t i = 0; i < kList.size(); ++i) descriptors[i] = &kList[i]->descriptor;
  return descriptors;
}();

}  // namespace

std::span<const attncert_kernel* const> built_in_kernels() { return kDescriptors; }

const attncert_kernel* find_kernel(std::string_view normalizer, attncert_dtype dtype) {
  for (const attncert_kernel* kernel : kDescriptors) {
    if (kernel->normalizer == normalizer && kernel->dtype_in == dtype) return kernel;
  }
  return nullptr;
}

const Budget* built_in_budget(const attncert_kernel& kernel) {
  for (const BuiltIn* entry : kList)
    if (&entry->descriptor == &kernel) return &entry->budget;
  return nullptr;
}

double ulp_budget(const attncert_kernel& kernel, double temperature) {
  const Budget* budget = built_in_budget(kernel);
  return budget == nullptr ? std::numeric_limits<double>::infinity() : budget->bound(temperature, 0, 0);
}

}  // namespace attncert
