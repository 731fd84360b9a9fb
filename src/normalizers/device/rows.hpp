// A batch of rows through a kernel of src/device/kernels: there, one launch or several, and back.
#pragma once

#include <string>
#include <string_view>

#include "attncert/kernel.h"
#include "src/device/device.hpp"
#include "src/normalizers/batch.hpp"

namespace attncert {

// The two kernels of a file that take rows that are held in registers and longer ones.
struct RowKernels {
  std::string_view text;
  std::string held, longer;
  std::string options;  // beside those of the shape
};

// `constants` is their last argument. Where the device has no memory for a row, or fails, nothing is written.
attncert_status run_on_device(const Batch<float>& batch, const RowKernels& kernels, const device::Argument& constants);

// Registers the kernel name.device.f32 of a struct that has what entry.hpp asks for; its run returns a status.
#define ATTNCERT_DEVICE_KERNEL(id, name, Entry, budget)                                              \
  namespace attncert {                                                                               \
  extern const BuiltIn id##_device_f32_kernel;                                                       \
  const BuiltIn id##_device_f32_kernel = on_device(entry<Entry, float>(budget, name ".device.f32")); \
  }

}  // namespace attncert
