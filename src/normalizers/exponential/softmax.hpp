// What softmax shares with the kernels that are softmax of other rows.
#pragma once

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/softmax_sizes.hpp"

namespace attncert {

struct SoftmaxEntry : PlainEntry {
  template <class T>
  static constexpr ScratchNeeded* scratch = softmax_scratch<T>;
};

// zero: one more logit, 0, takes part that has no place in the row.
void run_softmax(const Batch<float>& batch, bool zero);
void run_softmax(const Batch<double>& batch, bool zero);

extern const BuiltIn softmax_f32_kernel, softmax_f64_kernel;

}  // namespace attncert
