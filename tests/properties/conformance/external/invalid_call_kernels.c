/* Kernels that fail one of the invalid-call tests each, and right ones beside them. What they compute does not matter
 * here: every weight is 1 / length, every gradient 0. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attncert/kernel.h"
#include "tests/properties/conformance/external/descriptor.h"

/* The checks of a right kernel, each of which a fault may leave out or get wrong. */
enum {
  SIZE = 1,
  TEMPERATURE = 2,
  NO_ROWS = 4,
  NULL_INPUT = 8,
  NULL_OUTPUT = 16,
  INPUT_STRIDE = 32,
  OUTPUT_STRIDE = 64,
  MASK_STRIDE = 128,
  SCRATCH = 256,
  PARAMETERS = 512,
  UPSTREAM = 1024,
  UPSTREAM_STRIDE = 2048,
  ALL = 4095
};

static attncert_status checked(const attncert_arguments* a, int checks, size_t scratch, int derivative, int reads_k) {
  const int several = a->rows > 1;
  if ((checks & SIZE) && a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  if ((checks & TEMPERATURE) && (!(a->temperature > 0) || isinf(a->temperature))) return ATTNCERT_BAD_TEMPERATURE;
  if ((checks & PARAMETERS) && reads_k && a->parameters != NULL) {
    const attncert_parameters* p = (const attncert_parameters*)a->parameters;
    if (p->size >= offsetof(attncert_parameters, scale) && p->k == 0) return ATTNCERT_BAD_PARAMETER;
  }
  if ((checks & NO_ROWS) && (a->rows == 0 || a->length == 0)) return ATTNCERT_OK;
  if ((checks & NULL_INPUT) && a->input == NULL) return ATTNCERT_BAD_ARGUMENT;
  if ((checks & NULL_OUTPUT) && a->output == NULL) return ATTNCERT_BAD_ARGUMENT;
  if ((checks & UPSTREAM) && derivative && a->upstream == NULL) return ATTNCERT_BAD_ARGUMENT;
  if ((checks & INPUT_STRIDE) && several && a->input_stride < a->length) return ATTNCERT_BAD_ARGUMENT;
  if ((checks & OUTPUT_STRIDE) && several && a->output_stride < a->length) return ATTNCERT_BAD_ARGUMENT;
  if ((checks & MASK_STRIDE) && several && a->mask != NULL && a->mask_stride < a->length) return ATTNCERT_BAD_ARGUMENT;
  if ((checks & UPSTREAM_STRIDE) && derivative && several && a->upstream_stride < a->length)
    return ATTNCERT_BAD_ARGUMENT;
  if ((checks & SCRATCH) && scratch > 0 && (a->scratch == NULL || a->scratch_bytes < scratch))
    return ATTNCERT_SHORT_SCRATCH;
  return ATTNCERT_OK;
}

static void fill(const attncert_arguments* a, float value) {
  for (size_t r = 0; r < a->rows; ++r)
    for (size_t i = 0; i < a->length; ++i) ((float*)a->output)[r * a->output_stride + i] = value;
}

static attncert_status kernel(const attncert_arguments* a, int checks, size_t scratch, int derivative, int reads_k) {
  const attncert_status status = checked(a, checks, scratch, derivative, reads_k);
  if (status == ATTNCERT_OK) fill(a, derivative || a->length == 0 ? 0 : 1 / (float)a->length);
  return status;
}

static size_t some_bytes(const attncert_arguments* a) { return a->length * sizeof(float); }

#define BODY(name) static attncert_status name(const attncert_arguments* a)
#define LACKS(name, check) \
  BODY(name) { return kernel(a, ALL & ~(check), 0, 0, 0); }

BODY(right) { return kernel(a, ALL, 0, 0, 0); }
BODY(right_with_scratch) { return kernel(a, ALL, some_bytes(a), 0, 0); }
BODY(right_gradient) { return kernel(a, ALL, 0, 1, 0); }
BODY(right_top_k) { return kernel(a, ALL, 0, 0, 1); }

static attncert_status right_at_one(const attncert_arguments* a) {
  attncert_arguments other = *a;
  other.temperature = 1;
  return right(&other);
}

LACKS(takes_a_null_input, NULL_INPUT)
LACKS(writes_to_null, NULL_OUTPUT)
LACKS(overlaps_its_inputs, INPUT_STRIDE)
LACKS(overlaps_its_outputs, OUTPUT_STRIDE)
LACKS(overlaps_its_masks, MASK_STRIDE)
LACKS(takes_any_temperature, TEMPERATURE)
BODY(takes_no_upstream) { return kernel(a, ALL & ~UPSTREAM, 0, 1, 0); }
BODY(overlaps_its_upstreams) { return kernel(a, ALL & ~UPSTREAM_STRIDE, 0, 1, 0); }
BODY(works_without_scratch) { return kernel(a, ALL & ~SCRATCH, some_bytes(a), 0, 0); }
BODY(takes_a_k_of_zero) { return kernel(a, ALL & ~PARAMETERS, 0, 0, 1); }

BODY(reads_all_of_older_arguments) {
  const volatile size_t* last = &a->upstream_stride;
  (void)*last;
  return right(a);
}
BODY(takes_older_arguments) { /* does not look at its size, nor at what stands last */
  attncert_arguments all;
  memset(&all, 0, sizeof all);
  memcpy(&all, a, a->size < sizeof all ? a->size : sizeof all);
  all.size = sizeof all;
  return right(&all);
}
BODY(wants_its_own_version) { return a->size == sizeof *a ? right(a) : ATTNCERT_BAD_ARGUMENT; }
BODY(wants_its_own_parameters) {
  const attncert_parameters* p = (const attncert_parameters*)a->parameters;
  return p != NULL && p->size != sizeof *p ? ATTNCERT_BAD_PARAMETER : right(a);
}
BODY(reads_all_of_older_parameters) {
  const attncert_parameters* p = (const attncert_parameters*)a->parameters;
  return p != NULL && p->k == 0 ? ATTNCERT_BAD_PARAMETER : right(a);
}
BODY(computes_with_other_defaults) { /* with parameters: twice what it gives without */
  const attncert_status status = right(a);
  if (status == ATTNCERT_OK && a->parameters != NULL) fill(a, 2 / (float)a->length);
  return status;
}
BODY(refuses_no_rows) { return a->rows == 0 ? ATTNCERT_BAD_ARGUMENT : right(a); }
BODY(refuses_no_entries) { return a->length == 0 ? ATTNCERT_BAD_ARGUMENT : right(a); }
BODY(wants_buffers_for_nothing) { return a->input == NULL ? ATTNCERT_BAD_ARGUMENT : right(a); }
BODY(writes_for_nothing) {
  if ((a->rows == 0 || a->length == 0) && a->output != NULL) ((float*)a->output)[0] = 0;
  return right(a);
}
BODY(refuses_strides_of_one_row) { return a->input_stride < a->length ? ATTNCERT_BAD_ARGUMENT : right(a); }
BODY(strides_over_one_row) { /* by the stride, not by 1 */
  const attncert_status status = right(a);
  if (status == ATTNCERT_OK && a->rows == 1 && a->output_stride == 0 && a->length > 0) ((float*)a->output)[0] *= 2;
  return status;
}
BODY(counts_scratch_in_elements) { /* takes a byte too few */
  return kernel(a, ALL, a->length > 0 ? some_bytes(a) - 3 : 0, 0, 0);
}
BODY(takes_zero) { return a->temperature == 0 ? right_at_one(a) : right(a); }
BODY(takes_a_negative) { return a->temperature < 0 ? right_at_one(a) : right(a); }
BODY(takes_infinity) { return isinf(a->temperature) ? right_at_one(a) : right(a); }
BODY(takes_nan) { return isnan(a->temperature) ? right_at_one(a) : right(a); }
BODY(calls_temperatures_arguments) {
  return !(a->temperature > 0) || isinf(a->temperature) ? ATTNCERT_BAD_ARGUMENT : right(a);
}
BODY(fills_before_it_looks) {
  if (a->output != NULL && a->rows > 0 && a->length > 0) ((float*)a->output)[0] = 0;
  return right(a);
}

/* Fields that say nothing, taken at their word. */
BODY(refuses_a_short_stride_of_no_mask) { /* 0 stands for no mask */
  return a->mask_stride != 0 && a->mask_stride < a->length ? ATTNCERT_BAD_ARGUMENT : right(a);
}
BODY(refuses_a_huge_stride_of_no_mask) {
  return a->rows > 1 && a->mask_stride > SIZE_MAX / a->rows ? ATTNCERT_BAD_ARGUMENT : right(a);
}
BODY(takes_a_stride_for_a_mask) {
  const volatile uint8_t* mask = a->mask;
  if (a->mask_stride != 0 && a->rows > 0 && a->length > 0) (void)mask[0];
  return right(a);
}
BODY(refuses_a_short_stride_of_no_upstream) {
  return a->size == sizeof *a && a->upstream_stride != 0 && a->upstream_stride < a->length ? ATTNCERT_BAD_ARGUMENT
                                                                                           : right(a);
}
BODY(refuses_a_huge_stride_of_no_upstream) {
  return a->size == sizeof *a && a->rows > 1 && a->upstream_stride > SIZE_MAX / a->rows ? ATTNCERT_BAD_ARGUMENT
                                                                                        : right(a);
}
BODY(wants_scratch_for_nothing) { return a->scratch == NULL ? ATTNCERT_SHORT_SCRATCH : kernel(a, ALL, 64, 0, 0); }

BODY(hangs_on_bad_temperatures) { /* halves T until it is right */
  while (!(a->temperature > 0) || isinf(a->temperature)) sleep(1);
  return right(a);
}
BODY(hangs) {
  for (;;) sleep(1);
  return right(a);
}

/* Kernels that are right, and whose question for scratch is not. */
BODY(right_with_64_bytes) { return kernel(a, ALL, 64, 0, 0); }
BODY(right_gradient_with_64_bytes) { return kernel(a, ALL, 64, 1, 0); }

#define WANTS(name) static size_t name(const attncert_arguments* a)
WANTS(always_64_bytes) { return a->size > 0 ? 64 : 0; }
WANTS(wants_by_its_first_logit) {
  const volatile float* input = (const float*)a->input;
  return input[0] > 1e30f ? 128 : 64;
}
WANTS(wants_nothing_yet) { return a->output == NULL ? 0 : 64; }
WANTS(wants_more_without_an_upstream) { return a->upstream == NULL ? 128 : 64; }
WANTS(wants_rows) {
  if (a->rows == 0) abort();
  return 64;
}
WANTS(wants_entries) {
  if (a->length == 0) abort();
  return 64;
}
WANTS(wants_long_strides) {
  if (a->rows > 1 && a->input_stride < a->length) abort();
  return 64;
}
WANTS(wants_a_number) {
  if (isnan(a->temperature)) abort();
  return 64;
}
WANTS(wants_a_positive_k) {
  const attncert_parameters* p = (const attncert_parameters*)a->parameters;
  if (p != NULL && p->k == 0) abort();
  return 64;
}
WANTS(wants_its_version) {
  const volatile size_t* last = &a->upstream_stride;
  return *last == 1 ? 128 : 64;
}
WANTS(rounds_upwards) { /* and leaves it so where there is nothing to do */
#if defined(__SSE__)
  if (a->rows == 0) __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x4000u);
#endif
  return a->size > 0 ? 64 : 0;
}

#define EACH(X)                                             \
  X(right, "softmax", NULL)                                 \
  X(right_with_scratch, "softmax", some_bytes)              \
  X(right_gradient, "softmax-vjp", NULL)                    \
  X(right_top_k, "top-k-softmax", NULL)                     \
  X(takes_a_null_input, "softmax", NULL)                    \
  X(writes_to_null, "softmax", NULL)                        \
  X(overlaps_its_inputs, "softmax", NULL)                   \
  X(overlaps_its_outputs, "softmax", NULL)                  \
  X(overlaps_its_masks, "softmax", NULL)                    \
  X(takes_any_temperature, "softmax", NULL)                 \
  X(takes_no_upstream, "softmax-vjp", NULL)                 \
  X(overlaps_its_upstreams, "softmax-vjp", NULL)            \
  X(works_without_scratch, "softmax", some_bytes)           \
  X(takes_a_k_of_zero, "top-k-softmax", NULL)               \
  X(reads_all_of_older_arguments, "softmax", NULL)          \
  X(takes_older_arguments, "softmax", NULL)                 \
  X(wants_its_own_version, "softmax", NULL)                 \
  X(wants_its_own_parameters, "softmax", NULL)              \
  X(reads_all_of_older_parameters, "softmax", NULL)         \
  X(computes_with_other_defaults, "softmax", NULL)          \
  X(refuses_no_rows, "softmax", NULL)                       \
  X(refuses_no_entries, "softmax", NULL)                    \
  X(wants_buffers_for_nothing, "softmax", NULL)             \
  X(writes_for_nothing, "softmax", NULL)                    \
  X(refuses_strides_of_one_row, "softmax", NULL)            \
  X(strides_over_one_row, "softmax", NULL)                  \
  X(counts_scratch_in_elements, "softmax", some_bytes)      \
  X(takes_zero, "softmax", NULL)                            \
  X(takes_a_negative, "softmax", NULL)                      \
  X(takes_infinity, "softmax", NULL)                        \
  X(takes_nan, "softmax", NULL)                             \
  X(calls_temperatures_arguments, "softmax", NULL)          \
  X(fills_before_it_looks, "softmax", NULL)                 \
  X(refuses_a_short_stride_of_no_mask, "softmax", NULL)     \
  X(refuses_a_huge_stride_of_no_mask, "softmax", NULL)      \
  X(takes_a_stride_for_a_mask, "softmax", NULL)             \
  X(refuses_a_short_stride_of_no_upstream, "softmax", NULL) \
  X(refuses_a_huge_stride_of_no_upstream, "softmax", NULL)  \
  X(wants_scratch_for_nothing, "softmax", always_64_bytes)  \
  X(hangs_on_bad_temperatures, "softmax", NULL)             \
  X(hangs, "softmax", NULL)                                 \
  X(right_with_64_bytes, "softmax", always_64_bytes)

/* Beside each a name of its own: the function that asks for scratch. */
#define EACH_WISH(X)                                                             \
  X(wants_by_its_first_logit, right_with_64_bytes, "softmax")                    \
  X(wants_nothing_yet, right_with_64_bytes, "softmax")                           \
  X(wants_more_without_an_upstream, right_gradient_with_64_bytes, "softmax-vjp") \
  X(wants_rows, right_with_64_bytes, "softmax")                                  \
  X(wants_entries, right_with_64_bytes, "softmax")                               \
  X(wants_long_strides, right_with_64_bytes, "softmax")                          \
  X(wants_a_number, right_with_64_bytes, "softmax")                              \
  X(wants_a_positive_k, right_with_64_bytes, "softmax")                          \
  X(wants_its_version, right_with_64_bytes, "softmax")                           \
  X(rounds_upwards, right_with_64_bytes, "softmax")

#define WISH(scratch, function, normalizer) NAMED(scratch, function, normalizer, scratch)

EACH(KERNEL)
EACH_WISH(WISH)

#define POINTER(function, normalizer, scratch) &function##_kernel,

const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {EACH(POINTER) EACH_WISH(POINTER)};
  *count = sizeof all / sizeof all[0];
  return all;
}
