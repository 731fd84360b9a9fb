/* Kernels in plain float arithmetic, as people write them, each with the class of budgets that it has
 * (docs/budgets.md); and four that name a class which they do not keep. Every row is packed first: what is absent is
 * left out, and the others follow one another. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attncert/kernel.h"

/* n >= 1 finite logits, their upstream where there is one, temperature; writes n outputs. */
typedef void Row(const float* z, const float* g, double temperature, float* out, size_t n);

#ifdef WRONG /* the others are used by nothing */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

static _Thread_local double bias; /* of the call at hand */

static float largest_of(const float* z, size_t n) {
  float largest = z[0];
  for (size_t i = 1; i < n; ++i) largest = z[i] > largest ? z[i] : largest;
  return largest;
}

/* (z - largest) / T: the difference is rounded to float, and the quotient, with T as it is. */
static float exponent(float z, float largest, double temperature) {
  const float difference = z - largest;
  if (isinf(difference)) return (float)(((double)z - (double)largest) / temperature);
  return temperature == 1 ? difference : (float)(difference / temperature);
}

static float pairwise(const float* x, size_t n) {
  return n == 1 ? x[0] : pairwise(x, n - n / 2) + pairwise(x + (n - n / 2), n / 2);
}

static float running(const float* x, size_t n) {
  float sum = x[0];
  for (size_t i = 1; i < n; ++i) sum += x[i];
  return sum;
}

static void exponentials(const float* z, double temperature, float* out, size_t n) {
  const float largest = largest_of(z, n);
  for (size_t i = 0; i < n; ++i) out[i] = expf(exponent(z[i], largest, temperature));
}

static void softmax_pairwise(const float* z, const float* g, double temperature, float* out, size_t n) {
  (void)g;
  exponentials(z, temperature, out, n);
  const float sum = pairwise(out, n);
  for (size_t i = 0; i < n; ++i) out[i] /= sum;
}

static void softmax_running(const float* z, const float* g, double temperature, float* out, size_t n) {
  (void)g;
  exponentials(z, temperature, out, n);
  const float inverse = 1 / running(out, n);
  for (size_t i = 0; i < n; ++i) out[i] *= inverse;
}

static void softmax_online(const float* z, const float* g, double temperature, float* out, size_t n) {
  (void)g;
  float largest = z[0], sum = 1;
  for (size_t i = 1; i < n; ++i) {
    if (z[i] > largest) {
      sum = sum * expf(exponent(largest, z[i], temperature)) + 1;
      largest = z[i];
    } else {
      sum += expf(exponent(z[i], largest, temperature));
    }
  }
  for (size_t i = 0; i < n; ++i) out[i] = expf(exponent(z[i], largest, temperature)) / sum;
}

static void log_softmax(const float* z, const float* g, double temperature, float* out, size_t n) {
  (void)g;
  exponentials(z, temperature, out, n);
  const float logarithm = logf(pairwise(out, n)), largest = largest_of(z, n);
  for (size_t i = 0; i < n; ++i) out[i] = exponent(z[i], largest, temperature) - logarithm;
}

static void log1p_softmax(const float* z, const float* g, double temperature, float* out, size_t n) {
  (void)g;
  exponentials(z, temperature, out, n);
  const float largest = largest_of(z, n);
  for (size_t i = 0; i < n; ++i)
    if (z[i] == largest) {
      out[i] = 0;
      break;
    }
  const float logarithm = log1pf(pairwise(out, n));
  for (size_t i = 0; i < n; ++i) out[i] = exponent(z[i], largest, temperature) - logarithm;
}

static void sigmoid(const float* z, const float* g, double temperature, float* out, size_t n) {
  (void)g;
  for (size_t i = 0; i < n; ++i) {
    const float x = (float)((double)z[i] / temperature + bias), e = expf(-fabsf(x));
    out[i] = x >= 0 ? 1 / (1 + e) : e / (1 + e);
  }
}

static int descending(const void* a, const void* b) {
  const float x = *(const float*)a, y = *(const float*)b;
  return (x < y) - (x > y);
}

static void sparsemax(const float* z, const float* g, double temperature, float* out, size_t n) {
  (void)g;
  float* x = malloc(n * sizeof *x);
  const float largest = largest_of(z, n);
  for (size_t i = 0; i < n; ++i) x[i] = out[i] = exponent(z[i], largest, temperature);
  qsort(x, n, sizeof *x, descending);
  float sum = -1, threshold = -1;
  for (size_t k = 0; k < n; ++k) {
    sum += x[k];
    const float next = sum / (float)(k + 1);
    if (x[k] <= next) break;
    threshold = next;
  }
  free(x);
  for (size_t i = 0; i < n; ++i) out[i] = out[i] > threshold ? out[i] - threshold : 0;
}

/* 1.5-entmax by halving, in so many steps, and divided by the sum. */
static void entmax_halving(const float* z, const float* g, double temperature, float* out, size_t n) {
  (void)g;
  const float largest = largest_of(z, n);
  for (size_t i = 0; i < n; ++i) out[i] = exponent(z[i], largest, temperature) / 2;
  float low = -1, high = 0;
  for (int step = 0; step < 20; ++step) {
    const float middle = (low + high) / 2;
    float sum = 0;
    for (size_t i = 0; i < n; ++i)
      if (out[i] > middle) sum += (out[i] - middle) * (out[i] - middle);
    if (sum >= 1) low = middle;
    else high = middle;
  }
  float sum = 0;
  for (size_t i = 0; i < n; ++i) {
    out[i] = out[i] > low ? (out[i] - low) * (out[i] - low) : 0;
    sum += out[i];
  }
  for (size_t i = 0; i < n; ++i) out[i] /= sum;
}

static void softmax_vjp(const float* z, const float* g, double temperature, float* out, size_t n) {
  softmax_running(z, g, temperature, out, n);
  float mean = 0;
  for (size_t i = 0; i < n; ++i) mean += out[i] * g[i];
  for (size_t i = 0; i < n; ++i) out[i] = (float)(out[i] * (g[i] - mean) / temperature);
}

typedef struct Kind {
  const char* normalizer;
  Row* row;
  int half, truncates;
} Kind;

static float widened(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static uint16_t narrowed(float value, int truncates) { /* to bf16, to nearest even or towards 0 */
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  if (isnan(value)) return 0x7FC0;
  if (!truncates) word += 0x7FFF + ((word >> 16) & 1);
  return (uint16_t)(word >> 16);
}

static float loaded(const void* at, size_t i, int half) {
  return half ? widened(((const uint16_t*)at)[i]) : ((const float*)at)[i];
}

static void store(void* at, size_t i, float value, const Kind* kind) {
  if (kind->half) ((uint16_t*)at)[i] = narrowed(value, kind->truncates);
  else ((float*)at)[i] = value;
}

/* A row that holds NaN, infinities or nothing: the default contract. True when that was all. */
static int degenerate(const Kind* kind, size_t n, size_t infinite, int is_nan, float* out, const float* z) {
  if (is_nan) {
    for (size_t i = 0; i < n; ++i) out[i] = NAN;
    return 1;
  }
  if (infinite == 0 || strcmp(kind->normalizer, "sigmoid") == 0) return n == 0;
  const int logarithm = strcmp(kind->normalizer, "log-softmax") == 0;
  for (size_t i = 0; i < n; ++i)
    out[i] = logarithm ? (z[i] == INFINITY ? -logf((float)infinite) : -INFINITY)
                       : (z[i] == INFINITY ? 1 / (float)infinite : 0);
  return 1;
}

static void run_row(const attncert_arguments* a, const Kind* kind, size_t r, float* z, float* g, float* out) {
  const size_t size = kind->half ? 2 : 4;
  const char* input = (const char*)a->input + r * a->input_stride * size;
  const char* upstream = a->upstream == NULL ? NULL : (const char*)a->upstream + r * a->upstream_stride * size;
  const uint8_t* mask = a->mask == NULL ? NULL : a->mask + r * a->mask_stride;
  char* output = (char*)a->output + r * a->output_stride * size;
  const float absent = strcmp(kind->normalizer, "log-softmax") == 0 ? -INFINITY : 0;
  size_t n = 0, infinite = 0;
  int is_nan = 0;
  for (size_t i = 0; i < a->length; ++i) {
    const float one = loaded(input, i, kind->half);
    if ((mask != NULL && mask[i] == 0) || one == -INFINITY) continue;
    z[n] = one;
    g[n] = upstream == NULL ? 0 : loaded(upstream, i, kind->half);
    is_nan |= isnan(one) || !isfinite(g[n]) || (upstream != NULL && one == INFINITY);
    infinite += one == INFINITY;
    ++n;
  }
  if (!degenerate(kind, n, infinite, is_nan, out, z)) kind->row(z, g, a->temperature, out, n);
  for (size_t i = 0, k = 0; i < a->length; ++i) {
    const int is_absent = (mask != NULL && mask[i] == 0) || loaded(input, i, kind->half) == -INFINITY;
    store(output, i, is_nan ? NAN : is_absent ? absent : out[k], kind);
    k += !is_absent;
  }
}

static attncert_status run(const attncert_arguments* a, const Kind* kind) {
  const int derivative = strcmp(kind->normalizer, "softmax-vjp") == 0;
  if (a == NULL || a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  if (!(a->temperature > 0) || isinf(a->temperature)) return ATTNCERT_BAD_TEMPERATURE;
  if (a->rows == 0 || a->length == 0) return ATTNCERT_OK;
  if (a->input == NULL || a->output == NULL || (a->upstream == NULL) == derivative) return ATTNCERT_BAD_ARGUMENT;
  if (a->rows > 1 &&
      (a->input_stride < a->length || a->output_stride < a->length || (a->mask != NULL && a->mask_stride < a->length) ||
       (derivative && a->upstream_stride < a->length)))
    return ATTNCERT_BAD_ARGUMENT;
  bias = 0;
  if (strcmp(kind->normalizer, "sigmoid") == 0 && a->parameters != NULL) {
    const attncert_parameters* given = a->parameters;
    if (given->size >= offsetof(attncert_parameters, bias) + sizeof given->bias) bias = given->bias;
  }
  if (!isfinite(bias)) return ATTNCERT_BAD_PARAMETER;
  float* buffer = malloc(3 * a->length * sizeof *buffer);
  for (size_t r = 0; r < a->rows; ++r) run_row(a, kind, r, buffer, buffer + a->length, buffer + 2 * a->length);
  free(buffer);
  return ATTNCERT_OK;
}

#define KERNEL(id, of, function, dtype, class, half, truncates)       \
  static attncert_status run_##id(const attncert_arguments* a) {      \
    static const Kind kind = {of, function, half, truncates};         \
    return run(a, &kind);                                             \
  }                                                                   \
  static const attncert_kernel id = {.abi = ATTNCERT_KERNEL_ABI,      \
                                     .size = sizeof(attncert_kernel), \
                                     .name = #id,                     \
                                     .normalizer = of,                \
                                     .dtype_in = dtype,               \
                                     .dtype_out = dtype,              \
                                     .isa = "baseline",               \
                                     .contract = "default",           \
                                     .run = run_##id,                 \
                                     .budget = class};

#ifdef WRONG
KERNEL(truncates_to_bf16, "softmax", softmax_pairwise, ATTNCERT_BF16, "plain", 1, 1)
KERNEL(adds_one_by_one, "softmax", softmax_running, ATTNCERT_F32, "plain+exp=0.5+compensated", 0, 0)
KERNEL(halves_coarsely, "entmax-1.5", entmax_halving, ATTNCERT_F32, "plain+threshold=1e-7", 0, 0)
KERNEL(loses_small_logarithms, "log-softmax", log_softmax, ATTNCERT_F32, "plain+log1p", 0, 0)
static const attncert_kernel* const all[] = {&truncates_to_bf16, &adds_one_by_one, &halves_coarsely,
                                             &loses_small_logarithms};
#else
KERNEL(pairwise_softmax, "softmax", softmax_pairwise, ATTNCERT_F32, "plain", 0, 0)
KERNEL(running_softmax, "softmax", softmax_running, ATTNCERT_F32, "plain+running", 0, 0)
KERNEL(online_softmax, "softmax", softmax_online, ATTNCERT_F32, "plain+online=1", 0, 0)
KERNEL(bf16_softmax, "softmax", softmax_pairwise, ATTNCERT_BF16, "plain", 1, 0)
KERNEL(plain_log_softmax, "log-softmax", log_softmax, ATTNCERT_F32, "plain", 0, 0)
KERNEL(log1p_log_softmax, "log-softmax", log1p_softmax, ATTNCERT_F32, "plain+log1p", 0, 0)
KERNEL(sorted_sparsemax, "sparsemax", sparsemax, ATTNCERT_F32, "plain+running", 0, 0)
KERNEL(halved_entmax, "entmax-1.5", entmax_halving, ATTNCERT_F32, "plain+running+threshold=4e-6", 0, 0)
KERNEL(plain_sigmoid, "sigmoid", sigmoid, ATTNCERT_F32, "plain", 0, 0)
KERNEL(running_softmax_vjp, "softmax-vjp", softmax_vjp, ATTNCERT_F32, "plain+running", 0, 0)
static const attncert_kernel* const all[] = {&pairwise_softmax,  &running_softmax,    &online_softmax,   &bf16_softmax,
                                             &plain_log_softmax, &log1p_log_softmax,  &sorted_sparsemax, &halved_entmax,
                                             &plain_sigmoid,     &running_softmax_vjp};
#endif

const attncert_kernel* const* attncert_kernels(size_t* count) {
  *count = sizeof all / sizeof all[0];
  return all;
}
