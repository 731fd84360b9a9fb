// A batch of rows through a kernel of src/device/kernels: there, one launch or several, and back. The registration at
// the end of a device kernel's file is here too.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "attncert/kernel.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/device/program.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/half/half.hpp"

namespace attncert {

// `storage` is the type of the batch's elements, whatever its own says. Where the device has no memory for a row, or
// fails, nothing is written.
attncert_status run_on_device(const Batch<float>& batch, attncert_dtype storage, const DeviceProgram& program);

// An entry (entry.hpp) whose `program` says what runs.
template <class Entry, attncert_dtype kStorage>
struct OnDevice : Entry {
  static constexpr bool takes_masks = true;
  static attncert_status run(const Batch<float>& batch) {
    return run_on_device(batch, kStorage, Entry::program(batch));
  }
};

template <class Entry>
DeviceProgram program_at(double temperature, const attncert_parameters& parameters) {
  Batch<float> batch;
  batch.temperature = temperature;
  batch.parameters = parameters;
  batch.scale = make_scale<float>(temperature, Entry::template limit<float>);
  return Entry::program(batch);
}

// "softmax.device.f32", as an array of characters: descriptors point to it.
template <class Entry, attncert_dtype kStorage>
constexpr auto device_kernel_name = [] {
  constexpr std::string_view normalizer = Entry::normalizer, middle = ".device.",
                             type = kStorage == ATTNCERT_F32   ? "f32"
                                    : kStorage == ATTNCERT_F16 ? "f16"
                                                               : "bf16";
  std::array<char, normalizer.size() + middle.size() + type.size() + 1> name{};
  auto end = std::copy(normalizer.begin(), normalizer.end(), name.begin());
  end = std::copy(middle.begin(), middle.end(), end);
  std::copy(type.begin(), type.end(), end);
  return name;
}();

template <class Entry, attncert_dtype kStorage>
BuiltIn device_entry(const Budget& budget) {
  return on_device(entry<OnDevice<Entry, kStorage>, float>(kStorage == ATTNCERT_F32 ? budget : half_budget(budget),
                                                           device_kernel_name<Entry, kStorage>.data()),
                   kStorage);
}

// Registers the kernels of f32, f16 and bf16 of an entry that has what entry.hpp asks for and `program`, a function of
// a batch. `budget` is that of f32.
#define ATTNCERT_DEVICE_KERNEL(id, Entry, budget)                                               \
  namespace attncert {                                                                          \
  extern const BuiltIn id##_device_f32_kernel, id##_device_f16_kernel, id##_device_bf16_kernel; \
  extern const DeviceKernel id##_device_program;                                                \
  const BuiltIn id##_device_f32_kernel = device_entry<Entry, ATTNCERT_F32>(budget);             \
  const BuiltIn id##_device_f16_kernel = device_entry<Entry, ATTNCERT_F16>(budget);             \
  const BuiltIn id##_device_bf16_kernel = device_entry<Entry, ATTNCERT_BF16>(budget);           \
  const DeviceKernel id##_device_program{Entry::normalizer, program_at<Entry>};                 \
  }

}  // namespace attncert
