// The derivatives of sparsemax and entmax-1.5, for that of entmax, which is one of them at some alpha.
#pragma once

#include "src/normalizers/batch.hpp"

namespace attncert {

void run_sparsemax_vjp(const Batch<float>& batch);
void run_sparsemax_vjp(const Batch<double>& batch);
void run_entmax15_vjp(const Batch<float>& batch);
void run_entmax15_vjp(const Batch<double>& batch);

}  // namespace attncert
