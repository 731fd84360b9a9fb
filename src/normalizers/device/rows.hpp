// A batch of rows through a kernel of src/device/kernels: there, one launch or several, and back.
#pragma once

#include <string>
#include <string_view>

#include "attncert/kernel.h"
#include "src/device/device.hpp"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/half/half.hpp"

namespace attncert {

// The two kernels of a file that take rows that are held in registers and longer ones.
struct RowKernels {
  std::string_view text;
  std::string held, longer;
  std::string options;  // beside those of the shape
};

// `constants` is their last argument; `storage` the type of the batch's elements, whatever its own says. Where the
// device has no memory for a row, or fails, nothing is written.
attncert_status run_on_device(const Batch<float>& batch, attncert_dtype storage, const RowKernels& kernels,
                              const device::Argument& constants);

// Registers the kernels name.device.f32, .f16 and .bf16 of a template of the storage that has what entry.hpp asks for;
// its run returns a status. `budget` is that of f32.
#define ATTNCERT_DEVICE_KERNEL(id, name, Entry, budget)                                                       \
  namespace attncert {                                                                                        \
  extern const BuiltIn id##_device_f32_kernel, id##_device_f16_kernel, id##_device_bf16_kernel;               \
  const BuiltIn id##_device_f32_kernel =                                                                      \
      on_device(entry<Entry<ATTNCERT_F32>, float>(budget, name ".device.f32"), ATTNCERT_F32);                 \
  const BuiltIn id##_device_f16_kernel =                                                                      \
      on_device(entry<Entry<ATTNCERT_F16>, float>(half_budget(budget), name ".device.f16"), ATTNCERT_F16);    \
  const BuiltIn id##_device_bf16_kernel =                                                                     \
      on_device(entry<Entry<ATTNCERT_BF16>, float>(half_budget(budget), name ".device.bf16"), ATTNCERT_BF16); \
  }

}  // namespace attncert
