// SPDX-License-Identifier: MIT
// XNNPACK's softmax as kernels of attncert's ABI.
//
// XNNPACK may read XNN_EXTRA_BYTES behind the end of its input, and its header says so. A caller of attncert's ABI
// promises no such bytes, so xnnpack-softmax.f32 copies the rows to scratch that has them. At T = 1 and without a mask
// it copies the logits bit for bit, so every finding there is XNNPACK's own. XNNPACK knows neither temperature nor
// mask. For these the rows in scratch are (z - max z) / T in double, rounded to float, and -inf where the mask drops an
// entry. That rounding is the adapter's error: half an ulp of the exponent.
//
// xnnpack-direct-softmax.f32 hands the caller's rows over at T = 1 and without a mask, as a caller may who has not read
// that line of the header. What it reads outside is the adapter's fault.
#include <attncert/kernel.h>
#include <xnnpack.h>

#include <algorithm>
#include <cstddef>

#include "examples/prepared_rows.hpp"

namespace {

enum class Rows { copied, direct };

template <Rows rows>
bool through_scratch(const attncert_arguments& a) {
  return rows == Rows::copied || !prepared_rows::as_given(a);
}

template <Rows rows>
size_t scratch_needed(const attncert_arguments* a) {
  return a != nullptr && through_scratch<rows>(*a) ? a->rows * a->length * sizeof(float) + XNN_EXTRA_BYTES : 0;
}

xnn_status softmax(const attncert_arguments& a, const float* input, size_t input_stride) {
  static const xnn_status ready = xnn_initialize(nullptr);
  if (ready != xnn_status_success) return ready;
  // XNNPACK refuses strides below the length; for one row attncert's ABI does not.
  const size_t from = std::max(input_stride, a.length), to = std::max(a.output_stride, a.length);
  xnn_operator_t operation = nullptr;
  xnn_status status = xnn_create_softmax_nc_f32(a.length, from, to, 0, &operation);
  if (status != xnn_status_success) return status;
  status = xnn_setup_softmax_nc_f32(operation, a.rows, input, static_cast<float*>(a.output), nullptr);
  if (status == xnn_status_success) status = xnn_run_operator(operation, nullptr);  // no threads: the caller's alone
  xnn_delete_operator(operation);
  return status;
}

template <Rows rows>
attncert_status run(const attncert_arguments* a) {
  const attncert_status refused = prepared_rows::refusal(a, scratch_needed<rows>(a));
  if (refused != ATTNCERT_OK || a->rows == 0 || a->length == 0) return refused;
  xnn_status status = xnn_status_success;
  if (through_scratch<rows>(*a)) {
    auto* const dense = static_cast<float*>(a->scratch);
    prepared_rows::write(*a, dense);
    status = softmax(*a, dense, a->length);
  } else {
    status = softmax(*a, static_cast<const float*>(a->input), a->input_stride);
  }
  return status == xnn_status_success ? ATTNCERT_OK : ATTNCERT_NO_RESOURCES;
}

template <Rows rows>
constexpr attncert_kernel kernel(const char* name) {
  return {ATTNCERT_KERNEL_ABI,
          sizeof(attncert_kernel),
          name,
          "softmax",
          ATTNCERT_F32,
          ATTNCERT_F32,
          "dispatch",
          "default",
          run<rows>,
          scratch_needed<rows>,
          nullptr,
          0};
}

constexpr attncert_kernel copied = kernel<Rows::copied>("xnnpack-softmax.f32");
constexpr attncert_kernel direct = kernel<Rows::direct>("xnnpack-direct-softmax.f32");

}  // namespace

extern "C" const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {&copied, &direct};
  *count = 2;
  return all;
}
