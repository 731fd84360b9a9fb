// One entry of the list of built-in kernels (built_in.cpp): the descriptor and, beside it, its budget.
#pragma once

#include "attncert/kernel.h"
#include "src/kernel/budget.hpp"

namespace attncert {

struct BuiltIn {
  attncert_kernel descriptor;
  Budget budget;
};

constexpr BuiltIn built_in(const char* name, const char* normalizer, attncert_dtype dtype,
                           attncert_status (*run)(const attncert_arguments*),
                           size_t (*scratch_needed)(const attncert_arguments*), Budget budget) {
  return {{ATTNCERT_KERNEL_ABI, sizeof(attncert_kernel), name, normalizer, dtype, dtype, "dispatch", "default", run,
           scratch_needed, nullptr},
          budget};
}

extern const BuiltIn softmax_f32_kernel, softmax_f64_kernel;
extern const BuiltIn softmax_half_ulp_f32_kernel;  // after softmax.f32: find_kernel takes the first
extern const BuiltIn ssmax_f32_kernel, ssmax_f64_kernel, softmax1_f32_kernel, softmax1_f64_kernel;
extern const BuiltIn log_softmax_f32_kernel, log_softmax_f64_kernel;
extern const BuiltIn sparsemax_f32_kernel, sparsemax_f64_kernel;

}  // namespace attncert
