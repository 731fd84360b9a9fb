/* SPDX-License-Identifier: MIT
 * softmax of float rows, in plain C: exp in double, the sum in double, one rounding to float at the end.
 *
 *   p_i = exp((z_i - max z) / T) / sum_j exp((z_j - max z) / T)
 *
 * How far is p_i from the exact value? z_i - max z is exact in double for floats whose exponents lie within 29 of
 * each other, and otherwise wrong by half an ulp of double. The quotient, exp, the sum and the division each add
 * about 2^-53, relative to an exponent of at most 745. All of this is far below half an ulp of float (2^-25), so the
 * result is within 0.51 ulp.
 *
 * Built from the installed header alone: see CMakeLists.txt.
 */
#include <attncert/kernel.h>
#include <math.h>
#include <stddef.h>

static int keeps(const unsigned char* mask, size_t i, float z) {
  return (mask == NULL || mask[i] != 0) && z != -INFINITY;
}

static void fill(float* out, size_t length, float value) {
  for (size_t i = 0; i < length; ++i) out[i] = value;
}

static void softmax_row(const float* z, const unsigned char* mask, double temperature, float* out, size_t length) {
  float largest = -INFINITY;
  size_t infinite = 0;
  for (size_t i = 0; i < length; ++i) {
    if (!keeps(mask, i, z[i])) continue;
    if (isnan(z[i])) { /* a present NaN: the whole row */
      fill(out, length, NAN);
      return;
    }
    if (z[i] > largest) largest = z[i];
    if (z[i] == INFINITY) ++infinite;
  }
  if (largest == -INFINITY) { /* nothing is present */
    fill(out, length, 0.0f);
    return;
  }
  double sum = 0;
  for (size_t i = 0; i < length; ++i) {
    if (!keeps(mask, i, z[i])) continue;
    sum += infinite > 0 ? z[i] == INFINITY : exp(((double)z[i] - (double)largest) / temperature);
  }
  for (size_t i = 0; i < length; ++i) {
    double weight = 0;
    if (keeps(mask, i, z[i]))
      weight = infinite > 0 ? z[i] == INFINITY : exp(((double)z[i] - (double)largest) / temperature);
    out[i] = (float)(weight / sum);
  }
}

static attncert_status run(const attncert_arguments* a) {
  if (a == NULL || a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  if (!(a->temperature > 0) || isinf(a->temperature)) return ATTNCERT_BAD_TEMPERATURE;
  if (a->rows == 0 || a->length == 0) return ATTNCERT_OK;
  if (a->input == NULL || a->output == NULL || a->upstream != NULL) return ATTNCERT_BAD_ARGUMENT;
  if (a->rows > 1 && (a->input_stride < a->length || a->output_stride < a->length)) return ATTNCERT_BAD_ARGUMENT;
  if (a->rows > 1 && a->mask != NULL && a->mask_stride < a->length) return ATTNCERT_BAD_ARGUMENT;
  for (size_t r = 0; r < a->rows; ++r)
    softmax_row((const float*)a->input + r * a->input_stride, a->mask == NULL ? NULL : a->mask + r * a->mask_stride,
                a->temperature, (float*)a->output + r * a->output_stride, a->length);
  return ATTNCERT_OK;
}

static const attncert_kernel softmax_f32 = {
    .abi = ATTNCERT_KERNEL_ABI,
    .size = sizeof(attncert_kernel),
    .name = "plain-c-softmax.f32",
    .normalizer = "softmax",
    .dtype_in = ATTNCERT_F32,
    .dtype_out = ATTNCERT_F32,
    .isa = "baseline",
    .contract = "default",
    .run = run,
};

const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {&softmax_f32};
  *count = sizeof all / sizeof all[0];
  return all;
}
