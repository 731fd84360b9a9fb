// f16 and bf16 kernels out of f32 ones: rows are widened into scratch by the block, the f32 kernel runs there, and its
// result is narrowed into the output. A half kernel follows by itself from its f32 entry in built_in.cpp.
// Kernels with a dedicated 16-bit path, of the same bits, are listed in half.cpp.
#pragma once

#include <cstddef>

#include "attncert/kernel.h"
#include "src/kernel/budget.hpp"
#include "src/normalizers/built_in.hpp"

namespace attncert {

attncert_status run_through_f32(const attncert_kernel& single, attncert_dtype half,
                                const attncert_arguments* arguments) noexcept;
// The arguments are not null and of full size, as for the kernels' own: run_through_f32 looks before it asks.
std::size_t half_scratch_needed(const attncert_kernel& single, const attncert_arguments* arguments) noexcept;

// Half an ulp of the half format, and the f32 bound one and a half times: docs/budgets.md, "Half kernels".
Budget half_budget(const Budget& single);

// The functions of a descriptor carry no state, so each pair of kernel and format needs its own.
template <const BuiltIn* kSingle, attncert_dtype kHalf>
BuiltIn half_kernel(const char* name) {
  constexpr auto run = [](const attncert_arguments* a) { return run_through_f32(kSingle->descriptor, kHalf, a); };
  constexpr auto scratch = [](const attncert_arguments* a) { return half_scratch_needed(kSingle->descriptor, a); };
  return built_in(name, kSingle->descriptor.normalizer, kHalf, run, scratch, half_budget(kSingle->budget));
}

}  // namespace attncert
