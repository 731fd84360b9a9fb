/* Kernels in plain float arithmetic, as people write them, each with the class of budgets that it has
 * (docs/budgets.md); and four that name a class which they do not keep. */
#include "tests/properties/conformance/external/packed_rows.h"

#ifdef WRONG /* the others are used by nothing */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

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
    const float x = (float)((double)z[i] / temperature + given.bias), e = expf(-fabsf(x));
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

#ifdef WRONG
KERNEL(truncates_to_bf16, "softmax", softmax_pairwise, ATTNCERT_BF16, "plain", 1)
KERNEL(adds_one_by_one, "softmax", softmax_running, ATTNCERT_F32, "plain+exp=0.5+compensated", 0)
KERNEL(halves_coarsely, "entmax-1.5", entmax_halving, ATTNCERT_F32, "plain+threshold=1e-7", 0)
KERNEL(loses_small_logarithms, "log-softmax", log_softmax, ATTNCERT_F32, "plain+log1p", 0)
static const attncert_kernel* const all[] = {&truncates_to_bf16, &adds_one_by_one, &halves_coarsely,
                                             &loses_small_logarithms};
#else
KERNEL(pairwise_softmax, "softmax", softmax_pairwise, ATTNCERT_F32, "plain", 0)
KERNEL(running_softmax, "softmax", softmax_running, ATTNCERT_F32, "plain+running", 0)
KERNEL(online_softmax, "softmax", softmax_online, ATTNCERT_F32, "plain+online=1", 0)
KERNEL(bf16_softmax, "softmax", softmax_pairwise, ATTNCERT_BF16, "plain", 0)
KERNEL(plain_log_softmax, "log-softmax", log_softmax, ATTNCERT_F32, "plain", 0)
KERNEL(log1p_log_softmax, "log-softmax", log1p_softmax, ATTNCERT_F32, "plain+log1p", 0)
KERNEL(sorted_sparsemax, "sparsemax", sparsemax, ATTNCERT_F32, "plain+running", 0)
KERNEL(halved_entmax, "entmax-1.5", entmax_halving, ATTNCERT_F32, "plain+running+threshold=4e-6", 0)
KERNEL(plain_sigmoid, "sigmoid", sigmoid, ATTNCERT_F32, "plain", 0)
KERNEL(running_softmax_vjp, "softmax-vjp", softmax_vjp, ATTNCERT_F32, "plain+running", 0)
static const attncert_kernel* const all[] = {&pairwise_softmax,  &running_softmax,    &online_softmax,   &bf16_softmax,
                                             &plain_log_softmax, &log1p_log_softmax,  &sorted_sparsemax, &halved_entmax,
                                             &plain_sigmoid,     &running_softmax_vjp};
#endif

const attncert_kernel* const* attncert_kernels(size_t* count) {
  *count = sizeof all / sizeof all[0];
  return all;
}
