// SPDX-License-Identifier: MIT
// oneDNN's softmax and log-softmax as kernels of attncert's ABI.
//
// At T = 1 and without a mask the primitive reads and writes the caller's rows directly, so every finding there is
// oneDNN's own. The primitive knows neither temperature nor mask. For these the adapter prepares rows in scratch: (z -
// max z) / T in double, rounded to the rows' type, and -inf where the mask drops an entry. That rounding is the
// adapter's error: half an ulp of the exponent.
#include <attncert/kernel.h>
#include <attncert/version.h>
#include <omp.h>

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>

#include "examples/prepared_rows.hpp"

namespace {

using dnnl::memory;

size_t scratch_needed(const attncert_arguments* a) {
  return a != nullptr && !prepared_rows::as_given(*a) ? a->rows * a->length * sizeof(float) : 0;
}

memory::desc rows_of(const attncert_arguments& a, size_t stride) {
  return memory::desc({static_cast<memory::dim>(a.rows), static_cast<memory::dim>(a.length)}, memory::data_type::f32,
                      memory::dims{static_cast<memory::dim>(stride), 1});
}

template <class Primitive>
void execute(const attncert_arguments& a) {
  omp_set_num_threads(1);  // Debian's oneDNN uses OpenMP, whose waiting threads would take time from the judge
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  static dnnl::stream stream(engine);
  const bool through = !prepared_rows::as_given(a);
  // Softmax in oneDNN 2 has one memory description for both sides, so output of another stride goes through a copy.
  const memory::desc given = rows_of(a, through ? a.length : a.input_stride), wanted = rows_of(a, a.output_stride);
  if (through) prepared_rows::write(a, static_cast<float*>(a.scratch));
  void* const input = through ? a.scratch : const_cast<void*>(a.input);
  memory source(given, engine, input), target(wanted, engine, a.output);
  const typename Primitive::desc description(dnnl::prop_kind::forward_inference, given, 1);
  const Primitive primitive(typename Primitive::primitive_desc(description, engine));
  if (given == wanted) {
    primitive.execute(stream, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, target}});
  } else {
    memory between(given, engine);
    primitive.execute(stream, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, between}});
    dnnl::reorder(between, target).execute(stream, between, target);
  }
  stream.wait();
}

template <class Primitive>
attncert_status run(const attncert_arguments* a) {
  const attncert_status refused = prepared_rows::refusal(a, scratch_needed(a));
  if (refused != ATTNCERT_OK || a->rows == 0 || a->length == 0) return refused;
  try {
    execute<Primitive>(*a);
  } catch (...) {  // no exception may leave a C function
    return ATTNCERT_BAD_ARGUMENT;
  }
  return ATTNCERT_OK;
}

constexpr attncert_kernel kernel(const char* name, const char* normalizer,
                                 attncert_status (*function)(const attncert_arguments*)) {
  return {ATTNCERT_KERNEL_ABI,
          sizeof(attncert_kernel),
          name,
          normalizer,
          ATTNCERT_F32,
          ATTNCERT_F32,
          "dispatch",
          "default",
          function,
          scratch_needed,
          nullptr,
          0};
}

constexpr attncert_kernel softmax = kernel("onednn-softmax.f32", "softmax", run<dnnl::softmax_forward>);
constexpr attncert_kernel log_softmax = kernel("onednn-log-softmax.f32", "log-softmax", run<dnnl::logsoftmax_forward>);

}  // namespace

extern "C" const char* attncert_version(void) {
  static const std::string text = [] {
    const dnnl_version_t* version = dnnl_version();
    return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
  }();
  return text.c_str();
}

extern "C" const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {&softmax, &log_softmax};
  *count = 2;
  return all;
}
