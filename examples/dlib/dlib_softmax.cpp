// SPDX-License-Identifier: MIT
// dlib's softmax as a kernel of attncert's ABI: the layer function that its networks call on the processor.
//
// dlib's tensors own their memory, so rows are copied into one and out of one. At T = 1 and without a mask they are
// copied bit for bit, so every finding there is dlib's own. dlib knows neither temperature nor mask. For these the rows
// are (z - max z) / T in double, rounded to float, and -inf where the mask drops an entry. That rounding is the
// adapter's error: half an ulp of the exponent.
#include <attncert/kernel.h>
#include <dlib/cuda/tensor_tools.h>

#include <algorithm>
#include <cstddef>

#include "examples/prepared_rows.hpp"

namespace {

void execute(const attncert_arguments& a) {
  dlib::resizable_tensor source(static_cast<long>(a.rows), static_cast<long>(a.length));
  dlib::resizable_tensor target(static_cast<long>(a.rows), static_cast<long>(a.length));
  prepared_rows::write(a, source.host_write_only());
  dlib::tt::softmax(target, source);
  const float* const weights = target.host();
  for (size_t r = 0; r < a.rows; ++r)
    std::copy_n(weights + r * a.length, a.length, static_cast<float*>(a.output) + r * a.output_stride);
}

attncert_status run(const attncert_arguments* a) {
  const attncert_status refused = prepared_rows::refusal(a, 0);
  if (refused != ATTNCERT_OK || a->rows == 0 || a->length == 0) return refused;
  try {
    execute(*a);
  } catch (...) {  // no exception may leave a C function
    return ATTNCERT_NO_RESOURCES;
  }
  return ATTNCERT_OK;
}

constexpr attncert_kernel softmax{ATTNCERT_KERNEL_ABI,
                                  sizeof(attncert_kernel),
                                  "dlib-softmax.f32",
                                  "softmax",
                                  ATTNCERT_F32,
                                  ATTNCERT_F32,
                                  "scalar",
                                  "nan-rows",
                                  run,
                                  nullptr,
                                  nullptr,
                                  0};

}  // namespace

extern "C" const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {&softmax};
  *count = 1;
  return all;
}
