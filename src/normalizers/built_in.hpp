// One entry of the list of built-in kernels (built_in.cpp): the descriptor and, beside it, its budget.
#pragma once

#include "attncert/kernel.h"
#include "src/kernel/budget.hpp"

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
           scratch_needed, nullptr},
          budget};
}

// The list: one line per normalizer, which has a kernel for f32 and one for f64; those for f16 and bf16 follow from the
// first (half.hpp).
#define ATTNCERT_BUILT_IN_KERNELS(KERNEL) \
  KERNEL(softmax)                         \
  KERNEL(log_softmax)                     \
  KERNEL(sparsemax)                       \
  KERNEL(entmax15)                        \
  KERNEL(entmax)                          \
  KERNEL(ssmax)                           \
  KERNEL(softmax1)                        \
  KERNEL(sigmoid)                         \
  KERNEL(sigmoid_normalized)              \
  KERNEL(relu_normalized)                 \
  KERNEL(taylor_softmax)                  \
  KERNEL(sa_softmax_v0)                   \
  KERNEL(sa_softmax_v1)                   \
  KERNEL(sa_softmax_v2)                   \
  KERNEL(sa_softmax_v3)                   \
  KERNEL(top_k_softmax)                   \
  KERNEL(softmax_vjp)                     \
  KERNEL(log_softmax_vjp)                 \
  KERNEL(sparsemax_vjp)                   \
  KERNEL(entmax15_vjp)                    \
  KERNEL(entmax_vjp)                      \
  KERNEL(softmax1_vjp)                    \
  KERNEL(ssmax_vjp)                       \
  KERNEL(top_k_softmax_vjp)               \
  KERNEL(relu_normalized_vjp)             \
  KERNEL(sigmoid_vjp)                     \
  KERNEL(sigmoid_normalized_vjp)          \
  KERNEL(taylor_softmax_vjp)              \
  KERNEL(sa_softmax_v0_vjp)               \
  KERNEL(sa_softmax_v1_vjp)               \
  KERNEL(sa_softmax_v2_vjp)               \
  KERNEL(sa_softmax_v3_vjp)

#define ATTNCERT_DECLARE(name) extern const BuiltIn name##_f32_kernel, name##_f64_kernel;
ATTNCERT_BUILT_IN_KERNELS(ATTNCERT_DECLARE)
#undef ATTNCERT_DECLARE
extern const BuiltIn softmax_half_ulp_f32_kernel;  // a second softmax: slower, and within 0.51 ulp

}  // namespace attncert
