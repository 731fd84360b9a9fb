// The list of built-in kernels. It stands here, and its interface in src/kernel, so that src/kernel knows no kernel.
#include "src/normalizers/built_in.hpp"

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/kernel/kernel.hpp"
#include "src/normalizers/half.hpp"

namespace attncert {
namespace {

constexpr std::array kList = {&softmax_f32_kernel,
                              &softmax_f64_kernel,
                              &log_softmax_f32_kernel,
                              &log_softmax_f64_kernel,
                              &sparsemax_f32_kernel,
                              &sparsemax_f64_kernel,
                              &softmax_vjp_f32_kernel,
                              &softmax_vjp_f64_kernel,
                              &log_softmax_vjp_f32_kernel,
                              &log_softmax_vjp_f64_kernel,
                              &sparsemax_vjp_f32_kernel,
                              &sparsemax_vjp_f64_kernel,
                              &sigmoid_vjp_f32_kernel,
                              &sigmoid_vjp_f64_kernel,
                              &ssmax_vjp_f32_kernel,
                              &ssmax_vjp_f64_kernel,
                              &softmax1_vjp_f32_kernel,
                              &softmax1_vjp_f64_kernel,
                              &top_k_softmax_vjp_f32_kernel,
                              &top_k_softmax_vjp_f64_kernel,
                              &relu_normalized_vjp_f32_kernel,
                              &relu_normalized_vjp_f64_kernel,
                              &sigmoid_normalized_vjp_f32_kernel,
                              &sigmoid_normalized_vjp_f64_kernel,
                              &sa_softmax_v0_vjp_f32_kernel,
                              &sa_softmax_v0_vjp_f64_kernel};

// The list and, behind it, an f16 and a bf16 kernel for every f32 kernel in it.
class Table {
 public:
  Table() : entries_(kList.begin(), kList.end()) {
    add_halves(std::make_index_sequence<kList.size()>());
    for (const BuiltIn& half : halves_) entries_.push_back(&half);
    for (const BuiltIn* entry : entries_) descriptors_.push_back(&entry->descriptor);
  }
  std::span<const BuiltIn* const> entries() const { return entries_; }
  std::span<const attncert_kernel* const> descriptors() const { return descriptors_; }

 private:
  template <std::size_t... kIndices>
  void add_halves(std::index_sequence<kIndices...>) {
    names_.reserve(2 * kList.size());  // descriptors point to them
    (add<kList[kIndices]>(), ...);
  }

  template <const BuiltIn* kSingle>
  void add() {
    if (kSingle->descriptor.dtype_in != ATTNCERT_F32) return;
    const std::string normalizer = kSingle->descriptor.normalizer;
    halves_.push_back(half_kernel<kSingle, ATTNCERT_F16>(names_.emplace_back(normalizer + ".f16").c_str()));
    halves_.push_back(half_kernel<kSingle, ATTNCERT_BF16>(names_.emplace_back(normalizer + ".bf16").c_str()));
  }

  std::vector<const BuiltIn*> entries_;
  std::vector<std::string> names_;
  std::vector<BuiltIn> halves_;
  std::vector<const attncert_kernel*> descriptors_;
};

const Table& table() {
  static const Table built;
  return built;
}

}  // namespace

std::span<const attncert_kernel* const> built_in_kernels() { return table().descriptors(); }

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
  return budget == nullptr ? std::numeric_limits<double>::infinity() : budget->bound(temperature, 0, 0);
}

}  // namespace attncert
