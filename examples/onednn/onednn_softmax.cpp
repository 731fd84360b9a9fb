// SPDX-License-Identifier: MIT
// oneDNN's softmax and log-softmax as kernels of attncert's ABI.
//
// At T = 1 and without a mask the primitive reads and writes the caller's rows directly, so every finding there is
// oneDNN's own. The primitive knows neither temperature nor mask. For these the adapter prepares rows in scratch: (z -
// max z) / T in double, rounded to the rows' type, and -inf where the mask drops an entry. That rounding is the
// adapter's error: half an ulp of the exponent.
#include <attncert/kernel.h>
#include <omp.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>

namespace {

using dnnl::memory;

bool goes_through_scratch(const attncert_arguments& a) { return a.temperature != 1 || a.mask != nullptr; }

size_t scratch_needed(const attncert_arguments* a) {
  return a != nullptr && goes_through_scratch(*a) ? a->rows * a->length * sizeof(float) : 0;
}

attncert_status refusal(const attncert_arguments* a) {
  if (a == nullptr || a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  if (!(a->temperature > 0) || std::isinf(a->temperature)) return ATTNCERT_BAD_TEMPERATURE;
  if (a->rows == 0 || a->length == 0) return ATTNCERT_OK;
  const bool short_stride = a->rows > 1 && (a->input_stride < a->length || a->output_stride < a->length ||
                                            (a->mask != nullptr && a->mask_stride < a->length));
  if (a->input == nullptr || a->output == nullptr || a->upstream != nullptr || short_stride)
    return ATTNCERT_BAD_ARGUMENT;
  return a->scratch_bytes < scratch_needed(a) ? ATTNCERT_SHORT_SCRATCH : ATTNCERT_OK;
}

// The largest logit that is not masked; it is subtracted before scaling, so that scaling cannot overflow.
double largest(const attncert_arguments& a, const float* z, const uint8_t* mask) {
  double most = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < a.length; ++i)
    if (mask == nullptr || mask[i] != 0) most = std::fmax(most, z[i]);
  return std::isinf(most) ? 0 : most;
}

// Dense rows of (z - max z) / T, rounded once, -inf where masked.
float* prepared(const attncert_arguments& a) {
  auto* const dense = static_cast<float*>(a.scratch);
  for (size_t r = 0; r < a.rows; ++r) {
    const float* const z = static_cast<const float*>(a.input) + r * a.input_stride;
    const uint8_t* const mask = a.mask == nullptr ? nullptr : a.mask + r * a.mask_stride;
    const double most = a.temperature == 1 ? 0 : largest(a, z, mask);
    for (size_t i = 0; i < a.length; ++i) {
      const bool kept = mask == nullptr || mask[i] != 0;
      dense[r * a.length + i] =
          kept ? static_cast<float>((z[i] - most) / a.temperature) : -std::numeric_limits<float>::infinity();
    }
  }
  return dense;
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
  const bool through = goes_through_scratch(a);
  // Softmax in oneDNN 2 has one memory description for both sides, so output of another stride goes through a copy.
  const memory::desc given = rows_of(a, through ? a.length : a.input_stride), wanted = rows_of(a, a.output_stride);
  void* const input = through ? prepared(a) : const_cast<void*>(a.input);
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
  const attncert_status refused = refusal(a);
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

extern "C" const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {&softmax, &log_softmax};
  *count = 2;
  return all;
}
