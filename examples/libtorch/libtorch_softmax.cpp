// SPDX-License-Identifier: MIT
// libtorch's softmax and log-softmax as kernels of attncert's ABI: the CPU kernels that torch.nn.functional calls.
//
// At T = 1 and without a mask they read and write the caller's rows directly, so every finding there is libtorch's own.
// For a mask the adapter calls masked_fill with -inf. For a temperature it computes (z - max z) / T in double and
// rounds to the rows' type: that rounding error is the adapter's.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <attncert/kernel.h>
#include <attncert/version.h>
#include <torch/csrc/api/include/torch/version.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace {

using Function = void (*)(at::Tensor& out, const at::Tensor& z);

// These return a tensor, which is copied to the caller's output.
void softmax(at::Tensor& out, const at::Tensor& z) { out.copy_(at::softmax(z, 1)); }
void log_softmax(at::Tensor& out, const at::Tensor& z) { out.copy_(at::log_softmax(z, 1)); }
// The operator below at::softmax, aten::_softmax.out, writes to the caller's output itself.
void inner_softmax(at::Tensor& out, const at::Tensor& z) { at::_softmax_out(out, z, 1, false); }

attncert_status refusal(const attncert_arguments* a) {
  if (a == nullptr || a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  if (!(a->temperature > 0) || std::isinf(a->temperature)) return ATTNCERT_BAD_TEMPERATURE;
  if (a->rows == 0 || a->length == 0) return ATTNCERT_OK;
  const bool short_stride = a->rows > 1 && (a->input_stride < a->length || a->output_stride < a->length ||
                                            (a->mask != nullptr && a->mask_stride < a->length));
  const bool usable = a->input != nullptr && a->output != nullptr && a->upstream == nullptr && !short_stride;
  return usable ? ATTNCERT_OK : ATTNCERT_BAD_ARGUMENT;
}

at::Tensor rows_of(const attncert_arguments& a, const void* data, size_t stride, at::ScalarType type) {
  const auto rows = static_cast<int64_t>(a.rows), length = static_cast<int64_t>(a.length);
  return at::from_blob(const_cast<void*>(data), {rows, length}, {static_cast<int64_t>(stride), 1}, at::dtype(type));
}

// (z - max z) / T. A difference of doubles that overflows is taken of halves, which lose nothing at that size.
at::Tensor scaled(const at::Tensor& z, double temperature) {
  const at::Tensor most = z.amax({1}, true), difference = z.sub(most);
  const at::Tensor of_halves = z.mul(0.5).sub_(most.mul(0.5)).div_(0.5 * temperature);
  return at::where(difference.isinf(), of_halves, difference.div(temperature));
}

void execute(const attncert_arguments& a, Function function, at::ScalarType type) {
  at::set_num_threads(1);  // waiting threads would take processor time from the judge
  const at::InferenceMode no_gradients;
  at::Tensor z = rows_of(a, a.input, a.input_stride, type);
  if (a.mask != nullptr)
    z = z.masked_fill(rows_of(a, a.mask, a.mask_stride, at::kByte).eq(0), -std::numeric_limits<double>::infinity());
  if (a.temperature != 1) z = scaled(z.to(at::kDouble), a.temperature).to(type);
  at::Tensor out = rows_of(a, a.output, a.output_stride, type);
  function(out, z);
}

template <Function function, at::ScalarType type>
attncert_status run(const attncert_arguments* a) {
  const attncert_status refused = refusal(a);
  if (refused != ATTNCERT_OK || a->rows == 0 || a->length == 0) return refused;
  try {
    execute(*a, function, type);
  } catch (...) {  // no exception may leave a C function
    return ATTNCERT_BAD_ARGUMENT;
  }
  return ATTNCERT_OK;
}

constexpr attncert_kernel kernel(const char* name, const char* normalizer, attncert_dtype dtype,
                                 attncert_status (*function)(const attncert_arguments*)) {
  return {ATTNCERT_KERNEL_ABI,
          sizeof(attncert_kernel),
          name,
          normalizer,
          dtype,
          dtype,
          "dispatch",
          "nan-rows",
          function,
          nullptr,
          nullptr,
          0};
}

constexpr attncert_kernel kernels[] = {
    kernel("libtorch-softmax.f32", "softmax", ATTNCERT_F32, run<softmax, at::kFloat>),
    kernel("libtorch-softmax.f64", "softmax", ATTNCERT_F64, run<softmax, at::kDouble>),
    kernel("libtorch-softmax.bf16", "softmax", ATTNCERT_BF16, run<softmax, at::kBFloat16>),
    kernel("libtorch-log-softmax.f32", "log-softmax", ATTNCERT_F32, run<log_softmax, at::kFloat>),
    kernel("libtorch-log-softmax.f64", "log-softmax", ATTNCERT_F64, run<log_softmax, at::kDouble>),
    kernel("libtorch-log-softmax.bf16", "log-softmax", ATTNCERT_BF16, run<log_softmax, at::kBFloat16>),
    kernel("libtorch-inner-softmax.f32", "softmax", ATTNCERT_F32, run<inner_softmax, at::kFloat>)};

}  // namespace

extern "C" const char* attncert_version(void) { return "libtorch " TORCH_VERSION; }

extern "C" const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {&kernels[0], &kernels[1], &kernels[2], &kernels[3],
                                               &kernels[4], &kernels[5], &kernels[6]};
  *count = sizeof all / sizeof all[0];
  return all;
}
