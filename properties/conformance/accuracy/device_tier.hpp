// Ordinary rows of softmax's family, with what kernels made of them, judged together on a device with f64
// (double_double/device/device_judge.hpp) before the processor's tier is asked: a row all of whose entries are
// certainly inside there needs no other judge. No verdict is the device's beyond that.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "attncert/kernel.h"
#include "properties/conformance/accuracy/double_double_tier.hpp"
#include "reference/normalizers/normalizer.hpp"
#include "src/core/result.hpp"
#include "src/device/device.hpp"
#include "src/kernel/budget.hpp"

namespace attncert {

// The normalizers whose rows a device judges, of f32, f16 and bf16.
inline constexpr std::string_view judged_on_device[] = {"softmax", "ssmax", "softmax1", "top-k-softmax"};

class DeviceTier {
 public:
  explicit DeviceTier(const device::Device& device);
  ~DeviceTier();

  // outcome: as of DoubleDoubleTier, and without elements where the processor is to judge; it outlives finish().
  struct Asked {
    std::span<const double> computed;
    const Budget* budget;
    TierOutcome* outcome;
  };
  void add(const Normalizer& normalizer, const LogitRow& row, attncert_dtype dtype_out, std::span<const Asked> answers);
  // An Error where the device failed; rows without an outcome are the processor's.
  Result<Done> finish();

 private:
  struct Batch;
  void judge_batch();

  const device::Device& device_;
  std::unique_ptr<Batch> batch_;
  Result<Done> done_ = Done{};
};

// Whether two judges say the same of a row: certain upper bounds of the same errors, but for what each truth may err by
// and their roundings.
bool agree(const TierOutcome& of_device, const TierOutcome& of_processor);

}  // namespace attncert
