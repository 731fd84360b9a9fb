// One entry of the list of built-in kernels (built_in.cpp): the descriptor and, beside it, its budget.
#pragma once

#include "attncert/kernel.h"
#include "src/kernel/budget.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {

using ScratchNeeded = size_t(const attncert_arguments*);  // bytes, as in a descriptor

struct BuiltIn {
  attncert_kernel descriptor;
  Budget budget;
};

constexpr BuiltIn built_in(const char* name, const char* normalizer, attncert_dtype dtype,
                           attncert_status (*run)(const attncert_arguments*), ScratchNeeded* scratch_needed,
                           Budget budget) {
  return {{ATTNCERT_KERNEL_ABI, sizeof(attncert_kernel), name, normalizer, dtype, dtype, "dispatch", "default", run,
           scratch_needed, nullptr, 0},
          budget};
}

// The same entry for a kernel that runs on a device, knows no instruction set and reads and writes elements of
// `storage` (normalizers/device).
constexpr BuiltIn on_device(BuiltIn entry, attncert_dtype storage) {
  entry.descriptor.isa = device_isa.data();
  entry.descriptor.dtype_in = entry.descriptor.dtype_out = storage;
  return entry;
}

// Beside those of the generated list (CMakeLists.txt): a second softmax, slower, and within 0.51 ulp.
extern const BuiltIn softmax_half_ulp_f32_kernel;

}  // namespace attncert
