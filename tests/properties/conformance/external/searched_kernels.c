/* Kernels whose faults a sampled campaign seldom meets and a search comes to. Apart from its fault each is a right
 * softmax of f32 built on the example's code. */
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "attncert/kernel.h"
#include "attncert/version.h"
#include "tests/properties/conformance/external/descriptor.h"

const attncert_kernel* const* example_kernels(size_t* count); /* examples/c-kernel/softmax.c, renamed by the build */

static attncert_status right_softmax(const attncert_arguments* a) {
  size_t count = 0;
  return example_kernels(&count)[0]->run(a);
}

/* 6 ulp of a result of 1 at T = 0.37, and less on either side, as of 1 / T from a table that is worst between two of
 * its nodes. Twice as many of the results below a power of two: more than the 8.5 that docs/budgets.md proves for T
 * other than 1 within a fifteenth of an octave, which of the temperatures that campaigns draw one in a thousand is. */
static attncert_status errs_near_a_temperature(const attncert_arguments* a) {
  const attncert_status status = right_softmax(a);
  if (status != ATTNCERT_OK || a->length == 0) return status;
  const double error = 6 / (1 + 6 * fabs(log2(a->temperature / 0.37)));
  for (size_t r = 0; r < a->rows; ++r) {
    float* row = (float*)a->output + r * a->output_stride;
    for (size_t i = 0; i < a->length; ++i) row[i] = (float)(row[i] * (1 - error * 0x1p-23));
  }
  return status;
}

/* One length whose last entry is masked: a tail that is stored whole. */
static int is_the_tail(const attncert_arguments* a) {
  return a->rows > 0 && a->length == 29 && a->mask != NULL && a->mask[28] == 0;
}

static attncert_status crashes_at_a_tail(const attncert_arguments* a) {
  if (is_the_tail(a)) raise(SIGSEGV);
  return right_softmax(a);
}

static attncert_status hangs_at_a_tail(const attncert_arguments* a) {
  while (is_the_tail(a)) sleep(1);
  return right_softmax(a);
}

KERNEL(errs_near_a_temperature, "softmax", NULL)
KERNEL(crashes_at_a_tail, "softmax", NULL)
KERNEL(hangs_at_a_tail, "softmax", NULL)
KERNEL(right_softmax, "softmax", NULL)

const char* attncert_version(void) { return "softmax by hand 1.2"; }

const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {&errs_near_a_temperature_kernel, &crashes_at_a_tail_kernel,
                                               &hangs_at_a_tail_kernel, &right_softmax_kernel};
  *count = sizeof all / sizeof all[0];
  return all;
}
