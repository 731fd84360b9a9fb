// One row at a time: the rows of causal attention have different lengths. The descriptor is called directly, with
// scratch that a thread keeps from row to row.
#include "src/gpt2/normalizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "src/core/assert.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// Grows, and never shrinks: a few rows of logits.
class Scratch {
 public:
  void* of_size(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_.reset(::operator new(bytes, alignment));
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  static constexpr std::align_val_t alignment{scratch_alignment};
  struct Free {
    void operator()(void* memory) const { ::operator delete(memory, alignment); }
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t bytes_ = 0;
};

class KernelOnRows {
 public:
  KernelOnRows(const attncert_kernel& kernel, double temperature, const attncert_parameters& parameters)
      : kernel_(&kernel), temperature_(temperature), parameters_(parameters) {}

  attncert_status run(std::span<const float> logits, std::span<float> weights) const {
    ATTNCERT_ASSERT(logits.size() == weights.size());
    attncert_arguments arguments{};
    arguments.size = sizeof arguments;
    arguments.rows = 1;
    arguments.length = arguments.input_stride = arguments.output_stride = logits.size();
    arguments.input = logits.data();
    arguments.output = weights.data();
    arguments.temperature = temperature_;
    arguments.parameters = &parameters_;
    if (kernel_->scratch_needed != nullptr) {
      thread_local Scratch scratch;
      arguments.scratch_bytes = kernel_->scratch_needed(&arguments);
      arguments.scratch = scratch.of_size(arguments.scratch_bytes);
    }
    return kernel_->run(&arguments);
  }

  void operator()(std::span<const float> logits, std::span<float> weights) const {
    ATTNCERT_ASSERT(run(logits, weights) == ATTNCERT_OK);
  }

 private:
  const attncert_kernel* kernel_;
  double temperature_;
  attncert_parameters parameters_;
};

// The fields that an older or newer caller and this build both know, as many as the caller's size says.
attncert_parameters copied(const attncert_parameters* parameters) {
  attncert_parameters copy{};
  copy.size = sizeof copy.size;  // all fields at their defaults
  if (parameters == nullptr) return copy;
  const std::size_t known = std::min<std::size_t>(parameters->size, sizeof copy);
  std::memcpy(&copy, parameters, known);
  copy.size = static_cast<std::uint32_t>(known);
  return copy;
}

bool gives_weights(std::string_view name) { return name != "log-softmax" && !name.ends_with("-vjp"); }

}  // namespace

Result<RowNormalizer> normalizer_named(std::string_view name, double temperature,
                                       const attncert_parameters* parameters) {
  const attncert_kernel* kernel = gives_weights(name) ? find_kernel(name, ATTNCERT_F32) : nullptr;
  if (kernel == nullptr)
    return Error{
        fmt::format("normalizer {}: none that gives attention weights has this name; take one of \"attncert "
                    "list --normalizers\" other than log-softmax and the derivatives (-vjp)",
                    name)};
  const KernelOnRows normalizer(*kernel, temperature, copied(parameters));
  float weight = 0;
  const float logit = 0;
  switch (normalizer.run({&logit, 1}, {&weight, 1})) {  // whether it takes T and parameters does not depend on the row
    case ATTNCERT_OK: {
      RowNormalizer result(normalizer);
      result.is_softmax = name == "softmax" && temperature == 1;
      return result;
    }
    case ATTNCERT_BAD_TEMPERATURE:
      return Error{
          fmt::format("normalizer {}: temperature {} is out of range; give a finite one above 0", name, temperature)};
    default:
      return Error{fmt::format(
          "normalizer {}: a parameter is out of range; include/attncert/kernel.h states the range of each", name)};
  }
}

RowNormalizer built_in_softmax() {
  auto softmax = normalizer_named("softmax", 1, nullptr);
  ATTNCERT_ASSERT(static_cast<bool>(softmax));
  return *std::move(softmax);
}

}  // namespace attncert
