/* Kernels that violate the ABI in one way each, as those of an external library may. Apart from its fault each is a
 * right softmax of f32 built on the example's code, so that nothing but the fault shows. */
#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attncert/kernel.h"
#include "tests/properties/conformance/external/descriptor.h"

const attncert_kernel* const* example_kernels(size_t* count); /* examples/c-kernel/softmax.c, renamed by the build */

static attncert_status right_softmax(const attncert_arguments* a) {
  size_t count = 0;
  return example_kernels(&count)[0]->run(a);
}

#define BODY(name) static attncert_status name(const attncert_arguments* a)

static float* output_row(const attncert_arguments* a, size_t row) { return (float*)a->output + row * a->output_stride; }
static int is_ordinary(const attncert_arguments* a) { return a->rows > 0 && a->length > 0 && a->temperature > 0; }

BODY(good) { return right_softmax(a); }

BODY(crashes) { /* at rows of a length that the campaign meets now and then: what follows goes on */
  if (a->length % 7 == 3) raise(SIGSEGV);
  return right_softmax(a);
}

BODY(divides_by_zero) {
  volatile int zero = 0;
  if (a->length % 7 == 3) return (attncert_status)(7 / zero);
  return right_softmax(a);
}

BODY(aborts) {
  if (a->length % 7 == 3) abort();
  return right_softmax(a);
}

BODY(exits) {
  if (a->length % 7 == 3) exit(3);
  return right_softmax(a);
}

BODY(overflows_its_stack) {
  volatile char page[16384];
  page[0] = (char)(a->length % 7 == 3);
  if (page[0] == 0) return right_softmax(a);
  attncert_arguments next = *a;
  const attncert_status status = overflows_its_stack(&next);
  return page[0] == 0 ? ATTNCERT_OK : status;
}

BODY(hangs) {
  while (a->length % 7 == 3) sleep(1);
  return right_softmax(a);
}

BODY(writes_behind_its_rows) { /* a vector too many at the end of the last row */
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK && is_ordinary(a)) output_row(a, a->rows - 1)[a->length] = 0;
  return status;
}

BODY(writes_before_its_rows) {
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK && is_ordinary(a)) output_row(a, 0)[-1] = 0;
  return status;
}

BODY(writes_between_its_rows) {
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK && is_ordinary(a) && a->rows > 1 && a->output_stride > a->length)
    output_row(a, 0)[a->length] = 0;
  return status;
}

BODY(reads_behind_its_rows) {
  const float* last = (const float*)a->input + (a->rows - 1) * a->input_stride;
  volatile float sink = 0;
  if (is_ordinary(a)) sink = last[a->length];
  (void)sink;
  return right_softmax(a);
}

BODY(changes_its_input) { /* subtracts the maximum in place */
  if (is_ordinary(a) && a->length % 7 == 3) ((float*)(size_t)a->input)[0] = 0;
  return right_softmax(a);
}

BODY(unlocks_its_input) {
  const attncert_status status = right_softmax(a);
  if (is_ordinary(a) && a->length % 7 == 3) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), at = (size_t)a->input;
    if (mprotect((void*)(at / page * page), page, PROT_READ | PROT_WRITE) == 0) ((float*)at)[0] += 1;
  }
  return status;
}

static void open_page_behind(const float* end) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  mprotect((void*)(((size_t)end + page - 1) / page * page), page, PROT_READ | PROT_WRITE);
}

BODY(opens_pages_behind_its_rows) { /* and reads there in later calls, whose buffers may have had the pages before */
  const float* end = (const float*)a->input + (a->rows - 1) * a->input_stride + a->length;
  volatile float sink = 0;
  if (is_ordinary(a) && a->length < 11) {
    open_page_behind(end);
    open_page_behind(output_row(a, a->rows - 1) + a->length);
  } else if (is_ordinary(a)) {
    sink = *end;
  }
  (void)sink;
  return right_softmax(a);
}

BODY(leaves_the_last_unwritten) {
  float kept;
  if (!is_ordinary(a)) return right_softmax(a);
  float* last = output_row(a, a->rows - 1) + a->length - 1;
  memcpy(&kept, last, sizeof kept);
  const attncert_status status = right_softmax(a);
  memcpy(last, &kept, sizeof kept);
  return status;
}

BODY(writes_and_refuses) { /* fills its outputs before it looks at T */
  if (a->rows > 0 && a->length > 0) output_row(a, 0)[0] = 0;
  return right_softmax(a);
}

BODY(counts_its_calls) {
  static unsigned calls;
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK && is_ordinary(a)) output_row(a, 0)[0] *= 1 + (float)(++calls % 2) * 0x1p-23f;
  return status;
}

BODY(depends_on_alignment) {
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK && is_ordinary(a) && (size_t)a->input % 64 == 0) output_row(a, 0)[0] *= 1 + 0x1p-23f;
  return status;
}

BODY(depends_on_the_batch) {
  const attncert_status status = right_softmax(a);
  for (size_t r = 0; status == ATTNCERT_OK && is_ordinary(a) && a->rows > 1 && r < a->rows; ++r)
    output_row(a, r)[0] *= 1 + 0x1p-23f;
  return status;
}

BODY(leaves_rounding_changed) {
  const attncert_status status = right_softmax(a);
  fesetround(FE_UPWARD);
  return status;
}

BODY(leaves_flushing_on) {
  const attncert_status status = right_softmax(a);
#if defined(__SSE__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u); /* FTZ and DAZ */
#endif
  return status;
}

BODY(invents_a_status) {
  const attncert_status status = right_softmax(a);
  return is_ordinary(a) && a->length % 7 == 3 ? (attncert_status)77 : status;
}

/* Aborts rather than read from a pointer that the machine might trap at. */
static attncert_status aligned_softmax(const attncert_arguments* a, size_t alignment) {
  if ((size_t)a->input % alignment != 0 || (size_t)a->output % alignment != 0) abort();
  return right_softmax(a);
}
BODY(relies_on_aligned_elements) { return aligned_softmax(a, sizeof(float)); }
BODY(relies_on_aligned_vectors) { return aligned_softmax(a, 16); }

BODY(writes_behind_its_scratch) {
  if (a->scratch != NULL) ((char*)a->scratch)[a->scratch_bytes] = 1;
  return right_softmax(a);
}

static size_t hundred_bytes(const attncert_arguments* a) {
  (void)a;
  return 100;
}
static size_t all_the_memory(const attncert_arguments* a) {
  (void)a;
  return (size_t)-1;
}

#define SOFTMAX(function, scratch) KERNEL(function, "softmax", scratch)

#define EACH(X)                               \
  X(good, NULL)                               \
  X(crashes, NULL)                            \
  X(divides_by_zero, NULL)                    \
  X(aborts, NULL)                             \
  X(exits, NULL)                              \
  X(overflows_its_stack, NULL)                \
  X(hangs, NULL)                              \
  X(writes_behind_its_rows, NULL)             \
  X(writes_before_its_rows, NULL)             \
  X(writes_between_its_rows, NULL)            \
  X(reads_behind_its_rows, NULL)              \
  X(changes_its_input, NULL)                  \
  X(unlocks_its_input, NULL)                  \
  X(opens_pages_behind_its_rows, NULL)        \
  X(leaves_the_last_unwritten, NULL)          \
  X(writes_and_refuses, NULL)                 \
  X(counts_its_calls, NULL)                   \
  X(depends_on_alignment, NULL)               \
  X(depends_on_the_batch, NULL)               \
  X(leaves_rounding_changed, NULL)            \
  X(leaves_flushing_on, NULL)                 \
  X(invents_a_status, NULL)                   \
  X(relies_on_aligned_elements, NULL)         \
  X(relies_on_aligned_vectors, NULL)          \
  X(writes_behind_its_scratch, hundred_bytes) \
  X(good_with_scratch, hundred_bytes)         \
  X(wants_all_the_memory, all_the_memory)

BODY(good_with_scratch) {
  if (a->rows == 0 || a->length == 0) return right_softmax(a);
  if (a->scratch_bytes < 100 || (size_t)a->scratch % 64 != 0) return ATTNCERT_SHORT_SCRATCH;
  memset(a->scratch, 1, a->scratch_bytes);
  return right_softmax(a);
}
BODY(wants_all_the_memory) { return right_softmax(a); }

EACH(SOFTMAX)

#define POINTER(function, scratch) &function##_kernel,

const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {EACH(POINTER)};
  *count = sizeof all / sizeof all[0];
  return all;
}
