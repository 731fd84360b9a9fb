/* What the kernels of plain C have in common (class_kernels.c, exam_kernels.c): the calling convention, the default
 * contract, and memory of any type. Every row is packed first: what is absent is left out, and the others follow one
 * another, so that a kernel is one function of finite logits. */
#ifndef ATTNCERT_TESTS_EXTERNAL_PACKED_ROWS_H
#define ATTNCERT_TESTS_EXTERNAL_PACKED_ROWS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attncert/kernel.h"

#ifdef ROWS_OF_F64
typedef double real;
typedef long double wide; /* holds what a real would round or let overflow */
#define REAL_DTYPE ATTNCERT_F64
#else
typedef float real;
typedef double wide;
#define REAL_DTYPE ATTNCERT_F32
#endif

/* n >= 1 finite logits, their upstream where there is one, temperature; writes n outputs. */
typedef void Row(const real* z, const real* g, double temperature, real* out, size_t n);

typedef struct Kind {
  const char* normalizer;
  Row* row;
  attncert_dtype dtype;
  int truncates; /* to bf16, towards 0 */
} Kind;

static _Thread_local attncert_parameters given; /* of the call at hand */

static int is_a(const Kind* kind, const char* normalizer) { return strcmp(kind->normalizer, normalizer) == 0; }

static int starts(const Kind* kind, const char* family) {
  return strncmp(kind->normalizer, family, strlen(family)) == 0;
}

static int is_derivative(const Kind* kind) { return strstr(kind->normalizer, "-vjp") != NULL; }

static real loaded(const void* at, size_t i, attncert_dtype dtype) {
  if (dtype == REAL_DTYPE) return ((const real*)at)[i];
  const uint16_t bits = ((const uint16_t*)at)[i];
  if (dtype == ATTNCERT_BF16) {
    const uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
  }
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                      : exponent == 0 ? ldexp(fraction, -24)
                                      : ldexp(fraction + 1024, exponent - 25);
  return (real)((bits & 0x8000) != 0 ? -size : size);
}

static uint16_t to_bf16(float value, int truncates) { /* to nearest even, or towards 0 */
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  if (isnan(value)) return 0x7FC0;
  if (!truncates) word += 0x7FFF + ((word >> 16) & 1);
  return (uint16_t)(word >> 16);
}

static uint16_t to_f16(double value) { /* to nearest even */
  if (isnan(value)) return 0x7E00;
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const double size = fabs(value);
  if (size >= 65520) return (uint16_t)(sign | 0x7C00);
  int exponent;
  frexp(size, &exponent);                                /* size < 2^exponent */
  const int unit = size < 0x1p-14 ? -24 : exponent - 11; /* of the last digit */
  const int digits = (int)nearbyint(ldexp(size, -unit)); /* a carry goes on into the exponent */
  return (uint16_t)(sign | (unit == -24 ? digits : ((unit + 25) << 10) + digits - 1024));
}

static void store(void* at, size_t i, real value, const Kind* kind) {
  if (kind->dtype == REAL_DTYPE) ((real*)at)[i] = value;
  else if (kind->dtype == ATTNCERT_BF16) ((uint16_t*)at)[i] = to_bf16((float)value, kind->truncates);
  else ((uint16_t*)at)[i] = to_f16(value);
}

/* The share of each of so many +inf in a row of a normalizer (docs/contracts.md). */
static real at_infinity(const Kind* kind, size_t infinite, size_t rank) {
  if (is_a(kind, "log-softmax")) return (real)-log((double)infinite);
  if (!is_a(kind, "top-k-softmax")) return (real)(1 / (double)infinite);
  return rank < given.k ? (real)(1 / (double)(infinite < given.k ? infinite : given.k)) : 0;
}

static int has_no_limit(const Kind* kind) {
  return starts(kind, "sa-softmax") || is_derivative(kind) || (is_a(kind, "ssmax") && given.scale < 0);
}

/* A row that holds infinities, or nothing: the default contract. True when that was all. */
static int degenerate(const Kind* kind, size_t n, size_t infinite, real* out, const real* z) {
  if (n == 0) return 1;
  if (infinite == 0 || starts(kind, "sigmoid")) return 0;
  const int uniform = is_a(kind, "ssmax") && given.scale == 0;
  for (size_t i = 0, rank = 0; i < n; ++i)
    out[i] = uniform            ? (real)(1 / (double)n)
             : z[i] == INFINITY ? at_infinity(kind, infinite, rank++)
                                : (is_a(kind, "log-softmax") ? -INFINITY : 0);
  return 1;
}

static void run_row(const attncert_arguments* a, const Kind* kind, size_t r, real* z, real* g, real* out) {
  const size_t size = kind->dtype == REAL_DTYPE ? sizeof(real) : 2;
  const char* input = (const char*)a->input + r * a->input_stride * size;
  const char* upstream = a->upstream == NULL ? NULL : (const char*)a->upstream + r * a->upstream_stride * size;
  const uint8_t* mask = a->mask == NULL ? NULL : a->mask + r * a->mask_stride;
  char* output = (char*)a->output + r * a->output_stride * size;
  const real absent = is_a(kind, "log-softmax") ? -INFINITY : 0;
  size_t n = 0, infinite = 0;
  int is_nan = 0;
  for (size_t i = 0; i < a->length; ++i) {
    const real one = loaded(input, i, kind->dtype);
    if ((mask != NULL && mask[i] == 0) || one == -INFINITY) continue;
    z[n] = one;
    g[n] = upstream == NULL ? 0 : loaded(upstream, i, kind->dtype);
    is_nan |= isnan(one) || !isfinite(g[n]) || (one == INFINITY && has_no_limit(kind));
    infinite += one == INFINITY;
    ++n;
  }
  if (!is_nan && !degenerate(kind, n, infinite, out, z)) kind->row(z, g, a->temperature, out, n);
  for (size_t i = 0, k = 0; i < a->length; ++i) {
    const int is_absent = (mask != NULL && mask[i] == 0) || loaded(input, i, kind->dtype) == -INFINITY;
    store(output, i, is_nan ? (real)NAN : is_absent ? absent : out[k], kind);
    k += !is_absent;
  }
}

/* The parameters of a call over the defaults, as far as their `size` goes. */
static void take_parameters(const attncert_parameters* parameters) {
  const attncert_parameters defaults = ATTNCERT_DEFAULT_PARAMETERS;
  given = defaults;
  if (parameters != NULL) memcpy(&given, parameters, parameters->size < sizeof given ? parameters->size : sizeof given);
}

static int bad_parameter(const Kind* kind) {
  return (starts(kind, "ssmax") && !isfinite(given.scale)) || (starts(kind, "top-k") && given.k == 0) ||
         ((is_a(kind, "sigmoid") || is_a(kind, "sigmoid-vjp")) && !isfinite(given.bias));
}

static attncert_status run(const attncert_arguments* a, const Kind* kind) {
  if (a == NULL || a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  if (!(a->temperature > 0) || isinf(a->temperature)) return ATTNCERT_BAD_TEMPERATURE;
  take_parameters(a->parameters);
  if (bad_parameter(kind)) return ATTNCERT_BAD_PARAMETER;
  if (a->rows == 0 || a->length == 0) return ATTNCERT_OK;
  if (a->input == NULL || a->output == NULL || (a->upstream == NULL) == is_derivative(kind))
    return ATTNCERT_BAD_ARGUMENT;
  if (a->rows > 1 &&
      (a->input_stride < a->length || a->output_stride < a->length || (a->mask != NULL && a->mask_stride < a->length) ||
       (is_derivative(kind) && a->upstream_stride < a->length)))
    return ATTNCERT_BAD_ARGUMENT;
  real* buffer = malloc(3 * a->length * sizeof *buffer);
  if (buffer == NULL) return ATTNCERT_NO_RESOURCES;
  for (size_t r = 0; r < a->rows; ++r) run_row(a, kind, r, buffer, buffer + a->length, buffer + 2 * a->length);
  free(buffer);
  return ATTNCERT_OK;
}

#define KERNEL(id, of, function, type, class, truncated)              \
  static attncert_status run_##id(const attncert_arguments* a) {      \
    static const Kind kind = {of, function, type, truncated};         \
    return run(a, &kind);                                             \
  }                                                                   \
  static const attncert_kernel id = {.abi = ATTNCERT_KERNEL_ABI,      \
                                     .size = sizeof(attncert_kernel), \
                                     .name = #id,                     \
                                     .normalizer = of,                \
                                     .dtype_in = type,                \
                                     .dtype_out = type,               \
                                     .isa = "baseline",               \
                                     .contract = "default",           \
                                     .run = run_##id,                 \
                                     .budget = class};

static real largest_of(const real* z, size_t n) {
  real largest = z[0];
  for (size_t i = 1; i < n; ++i) largest = z[i] > largest ? z[i] : largest;
  return largest;
}

/* (z - largest) / T: the difference is rounded, and the quotient, with T as it is. */
static real exponent(real z, real largest, double temperature) {
  const real difference = z - largest;
  if (isinf(difference)) return (real)(((wide)z - (wide)largest) / temperature);
  return temperature == 1 ? difference : (real)(difference / temperature);
}

#endif
