// softmax of the rows of a batch, for the kernels that differ by one logit.
#pragma once

#include "src/normalizers/batch.hpp"

namespace attncert {

// zero: one more logit, 0, takes part that has no place in the row.
void run_softmax(const Batch<float>& batch, bool zero);
void run_softmax(const Batch<double>& batch, bool zero);

}  // namespace attncert
