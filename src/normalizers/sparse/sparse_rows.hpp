// The rows of sparsemax and entmax-1.5, for the kernels that are one of them at some alpha.
#pragma once

#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"

namespace attncert {

void run_sparsemax(const Batch<float>& batch);
void run_sparsemax(const Batch<double>& batch);
void run_entmax15(const Batch<float>& batch);
void run_entmax15(const Batch<double>& batch);

extern const BuiltIn sparsemax_f32_kernel, entmax15_f32_kernel;

}  // namespace attncert
