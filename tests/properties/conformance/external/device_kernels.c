/* Kernels whose rows lie in memory of the library's own: addresses 2^62 above where the bytes are, which nobody can
 * read or write but by the functions of attncert_device_memory. A kernel works when the memory is synchronized, as a
 * device may. Apart from its fault each is a right softmax of f32. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attncert/kernel.h"
#include "attncert/memory.h"
#include "tests/properties/conformance/external/descriptor.h"

const attncert_kernel* const* example_kernels(size_t* count); /* examples/c-kernel/softmax.c, renamed by the build */

static const uintptr_t away = (uintptr_t)1 << 62;
static void* there(const void* here) { return here == NULL ? NULL : (void*)((uintptr_t)here + away); }
static void* here(const void* there) { return there == NULL ? NULL : (void*)((uintptr_t)there - away); }

/* One call at a time waits until it is asked for. */
static attncert_arguments waiting;
static void (*wrong)(const attncert_arguments*);
static int waits;

static int broken;
static attncert_status synchronize(void) {
  size_t count = 0;
  if (broken) return ATTNCERT_NO_RESOURCES;
  if (!waits) return ATTNCERT_OK;
  waits = 0;
  const attncert_status status = example_kernels(&count)[0]->run(&waiting);
  if (status == ATTNCERT_OK && wrong != NULL && waiting.rows > 0 && waiting.length > 0) wrong(&waiting);
  return status;
}

static void* allocate(size_t bytes) { return there(aligned_alloc(256, (bytes + 255) / 256 * 256)); }
static void release(void* memory) { free(here(memory)); }
static attncert_status copy_in(void* to, const void* from, size_t bytes) {
  memcpy(here(to), from, bytes);
  return synchronize();
}
static attncert_status copy_out(void* to, const void* from, size_t bytes) {
  memcpy(to, here(from), bytes);
  return ATTNCERT_OK;
}
static attncert_status fill(void* to, int byte, size_t bytes) {
  memset(here(to), byte, bytes);
  return ATTNCERT_OK;
}

static const attncert_memory memory = {
    ATTNCERT_MEMORY_ABI, sizeof memory, 4, 1, allocate, release, copy_in, copy_out, fill, synchronize};
const attncert_memory* attncert_device_memory(void) { return &memory; }

/* What is refused is refused at once. */
static attncert_status later(const attncert_arguments* a, void (*fault)(const attncert_arguments*)) {
  if (a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  attncert_arguments moved = *a, empty = *a;
  size_t count = 0;
  const int some = a->rows > 0 && a->length > 0, several = a->rows > 1 && a->length > 0;
  empty.rows = 0;
  const attncert_status refused = example_kernels(&count)[0]->run(&empty);
  if (refused != ATTNCERT_OK) return refused;
  if (some && (a->input == NULL || a->output == NULL || a->upstream != NULL)) return ATTNCERT_BAD_ARGUMENT;
  if (several && (a->input_stride < a->length || a->output_stride < a->length)) return ATTNCERT_BAD_ARGUMENT;
  if (several && a->mask != NULL && a->mask_stride < a->length) return ATTNCERT_BAD_ARGUMENT;
  moved.input = here(a->input);
  moved.output = here(a->output);
  moved.mask = here(a->mask);
  waiting = moved;
  wrong = fault;
  waits = 1;
  return ATTNCERT_OK;
}

#define KERNEL_WITH(name, fault)                                                       \
  static attncert_status name(const attncert_arguments* a) { return later(a, fault); } \
  FLAGGED(name, name, "softmax", NULL, ATTNCERT_ONE_AT_A_TIME)

static float* output_row(const attncert_arguments* a, size_t row) { return (float*)a->output + row * a->output_stride; }
static void behind(const attncert_arguments* a) { output_row(a, a->rows - 1)[a->length] = 0; }
static void before(const attncert_arguments* a) { output_row(a, 0)[-1] = 0; }
static void between(const attncert_arguments* a) {
  if (a->rows > 1 && a->output_stride > a->length) output_row(a, 0)[a->length] = 0;
}
static void far_behind(const attncert_arguments* a) { output_row(a, a->rows - 1)[a->length + 1000] = 0; }
static void behind_long_ones(const attncert_arguments* a) {
  if (a->length > 2000) behind(a);
}
static void changes(const attncert_arguments* a) { *(float*)a->input = 3; }
static void reads_on(const attncert_arguments* a) {
  const float next = ((const float*)a->input)[(a->rows - 1) * a->input_stride + a->length];
  output_row(a, a->rows - 1)[0] += 0 * next;
}
KERNEL_WITH(good, NULL)
KERNEL_WITH(writes_behind_its_rows, behind)
KERNEL_WITH(writes_before_its_rows, before)
KERNEL_WITH(writes_between_its_rows, between)
KERNEL_WITH(writes_far_behind_its_rows, far_behind)
KERNEL_WITH(writes_behind_long_rows, behind_long_ones)
KERNEL_WITH(changes_its_input, changes)
KERNEL_WITH(reads_behind_its_rows, reads_on)

/* Never waited for, so that nothing is computed. */
static attncert_status forgets_to_compute(const attncert_arguments* a) {
  const attncert_status status = later(a, NULL);
  waits = 0;
  return status;
}
FLAGGED(forgets_to_compute, forgets_to_compute, "softmax", NULL, ATTNCERT_ONE_AT_A_TIME)

/* As after an illegal address on a GPU: nothing works in this process any more. */
static attncert_status breaks_the_device(const attncert_arguments* a) {
  const attncert_status status = later(a, NULL);
  if (status == ATTNCERT_OK && a->rows > 0) broken = 1;
  return status;
}
FLAGGED(breaks_the_device, breaks_the_device, "softmax", NULL, ATTNCERT_ONE_AT_A_TIME)

static size_t some_scratch(const attncert_arguments* a) { return 4 * a->length; }
static int has_scratch(const attncert_arguments* a) {
  return a->rows > 0 && a->length > 0 && a->scratch != NULL && a->scratch_bytes >= some_scratch(a);
}
static attncert_status writes_behind_its_scratch(const attncert_arguments* a) {
  if (has_scratch(a)) memset(here(a->scratch), 0, a->scratch_bytes + 1);
  return later(a, NULL);
}
FLAGGED(writes_behind_its_scratch, writes_behind_its_scratch, "softmax", some_scratch, ATTNCERT_ONE_AT_A_TIME)
static attncert_status good_with_scratch(const attncert_arguments* a) {
  const attncert_status status = later(a, NULL);
  if (status != ATTNCERT_OK || a->rows == 0 || a->length == 0) return status;
  waits = has_scratch(a);
  if (waits) memset(here(a->scratch), 0, a->scratch_bytes);
  return waits ? status : ATTNCERT_SHORT_SCRATCH;
}
FLAGGED(good_with_scratch, good_with_scratch, "softmax", some_scratch, ATTNCERT_ONE_AT_A_TIME)

static const attncert_kernel* const all[] = {
    &good_kernel,
    &writes_behind_its_rows_kernel,
    &writes_before_its_rows_kernel,
    &writes_between_its_rows_kernel,
    &writes_far_behind_its_rows_kernel,
    &changes_its_input_kernel,
    &reads_behind_its_rows_kernel,
    &forgets_to_compute_kernel,
    &breaks_the_device_kernel,
    &writes_behind_its_scratch_kernel,
    &good_with_scratch_kernel,
    &writes_behind_long_rows_kernel,
};

const attncert_kernel* const* attncert_kernels(size_t* count) {
  *count = sizeof all / sizeof all[0];
  return all;
}
