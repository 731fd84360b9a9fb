/* Right kernels of unusual form: softmax and its kin, sigmoid. Each is within the class that it names. */
#include <tgmath.h>

#include "tests/properties/conformance/exam/sums.h"

static void exponentials(const real* z, double temperature, real* out, size_t n) {
  const real largest = largest_of(z, n);
  for (size_t i = 0; i < n; ++i) out[i] = exp(exponent(z[i], largest, temperature));
}

static void divided(real* x, size_t n, real sum) {
  for (size_t i = 0; i < n; ++i) x[i] /= sum;
}

#define SOFTMAX_BY(sum)                                                                              \
  static void softmax_##sum(const real* z, const real* g, double temperature, real* out, size_t n) { \
    (void)g;                                                                                         \
    exponentials(z, temperature, out, n);                                                            \
    divided(out, n, sum(out, n));                                                                    \
  }
SOFTMAX_BY(pairwise)
SOFTMAX_BY(backwards)
SOFTMAX_BY(lanes8)
SOFTMAX_BY(lanes64)
SOFTMAX_BY(kahan)
SOFTMAX_BY(neumaier)
SOFTMAX_BY(sorted)

static void softmax_times_inverse(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  exponentials(z, temperature, out, n);
  const real inverse = 1 / pairwise(out, n);
  for (size_t i = 0; i < n; ++i) out[i] *= inverse;
}

/* Keeps no exponential: the second pass computes each again, with the sum of all in wide. */
static void softmax_computed_twice(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const real largest = largest_of(z, n);
  wide sum = 0;
  for (size_t i = 0; i < n; ++i) sum += exp(exponent(z[i], largest, temperature));
  for (size_t i = 0; i < n; ++i) out[i] = (real)(exp(exponent(z[i], largest, temperature)) / sum);
}

/* 2^(d log2 e): the constant, two products and the difference round. */
static void softmax_exp2(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const real largest = largest_of(z, n), log2e = (real)1.4426950408889634074L;
  for (size_t i = 0; i < n; ++i) out[i] = exp2(exponent(z[i], largest, temperature) * log2e);
  divided(out, n, pairwise(out, n));
}

static void softmax_wide(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const wide largest = largest_of(z, n);
  wide sum = 0;
  for (size_t i = 0; i < n; ++i) sum += exp(((wide)z[i] - largest) / temperature);
  for (size_t i = 0; i < n; ++i) out[i] = (real)(exp(((wide)z[i] - largest) / temperature) / sum);
}

static void softmax_online64(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  real largest = z[0], sum = 0;
  for (size_t start = 0; start < n; start += 64) {
    const size_t count = n - start < 64 ? n - start : 64;
    const real here = largest_of(z + start, count), next = here > largest ? here : largest;
    for (size_t i = start; i < start + count; ++i) out[i] = exp(exponent(z[i], next, temperature));
    sum = sum * exp(exponent(largest, next, temperature)) + pairwise(out + start, count);
    largest = next;
  }
  exponentials(z, temperature, out, n);
  divided(out, n, sum);
}

typedef struct State {
  real largest, sum;
} State;

/* Every subtree has a maximum of its own, as the threads of a warp have. */
static State merged(const real* z, double temperature, size_t n) {
  if (n == 1) return (State){z[0], 1};
  const State a = merged(z, temperature, n / 2), b = merged(z + n / 2, temperature, n - n / 2);
  const real largest = a.largest > b.largest ? a.largest : b.largest;
  const real left = a.sum * exp(exponent(a.largest, largest, temperature));
  return (State){largest, left + b.sum * exp(exponent(b.largest, largest, temperature))};
}

static void softmax_tree(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const State all = merged(z, temperature, n);
  for (size_t i = 0; i < n; ++i) out[i] = exp(exponent(z[i], all.largest, temperature)) / all.sum;
}

static int is_near(const real* z, double temperature, size_t n) {
  real size = 0;
  for (size_t i = 0; i < n; ++i) size = fabs(z[i]) > size ? fabs(z[i]) : size;
  return size <= (sizeof(real) == 4 ? 60 : 600) * temperature;
}

static void softmax_unshifted(const real* z, const real* g, double temperature, real* out, size_t n) {
  if (!is_near(z, temperature, n)) {
    softmax_pairwise(z, g, temperature, out, n);
    return;
  }
  for (size_t i = 0; i < n; ++i) out[i] = exp((real)(z[i] / temperature));
  divided(out, n, pairwise(out, n));
}

static void softmax1(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const real largest = fmax(largest_of(z, n), (real)0);
  for (size_t i = 0; i < n; ++i) out[i] = exp(exponent(z[i], largest, temperature));
  divided(out, n, pairwise(out, n) + exp(exponent(0, largest, temperature)));
}

static void softmax1_first(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const real largest = fmax(largest_of(z, n), (real)0);
  real sum = exp(exponent(0, largest, temperature));
  for (size_t i = 0; i < n; ++i) sum += out[i] = exp(exponent(z[i], largest, temperature));
  divided(out, n, sum);
}

static void ssmax(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const long double factor = (long double)given.scale * log((long double)n); /* T and s of any size meet in its range */
  real end = z[0];
  for (size_t i = 1; i < n; ++i) end = (factor < 0 ? z[i] < end : z[i] > end) ? z[i] : end;
  for (size_t i = 0; i < n; ++i)
    out[i] = factor == 0 ? 1 : exp((real)(((long double)z[i] - end) / temperature * factor));
  divided(out, n, lanes8(out, n));
}

static int is_before(const real* z, size_t a, size_t b) { return z[a] > z[b] || (z[a] == z[b] && a < b); }

/* The k first by a heap whose root is the last of them. */
static void top_k(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const size_t k = given.k < n ? (size_t)given.k : n;
  size_t* heap = malloc(k * sizeof *heap);
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    size_t at;
    if (count < k) {
      for (at = count++; at > 0 && is_before(z, heap[(at - 1) / 2], i); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    } else {
      if (!is_before(z, i, heap[0])) continue;
      for (size_t child = at = 0; (child = 2 * at + 1) < k; at = child) {
        if (child + 1 < k && is_before(z, heap[child], heap[child + 1])) ++child;
        if (!is_before(z, i, heap[child])) break;
        heap[at] = heap[child];
      }
    }
    heap[at] = i;
  }
  const real largest = largest_of(z, n);
  real sum = 0;
  memset(out, 0, n * sizeof *out);
  for (size_t j = 0; j < k; ++j) sum += out[heap[j]] = exp(exponent(z[heap[j]], largest, temperature));
  for (size_t j = 0; j < k; ++j) out[heap[j]] /= sum;
  free(heap);
}

#define LOG_SOFTMAX_BY(sum)                                                                              \
  static void log_softmax_##sum(const real* z, const real* g, double temperature, real* out, size_t n) { \
    (void)g;                                                                                             \
    exponentials(z, temperature, out, n);                                                                \
    const real logarithm = log(sum(out, n)), largest = largest_of(z, n);                                 \
    for (size_t i = 0; i < n; ++i) out[i] = exponent(z[i], largest, temperature) - logarithm;            \
  }
LOG_SOFTMAX_BY(kahan)
LOG_SOFTMAX_BY(backwards)
LOG_SOFTMAX_BY(lanes64)
LOG_SOFTMAX_BY(in_wide)

static void log_softmax_unshifted(const real* z, const real* g, double temperature, real* out, size_t n) {
  if (!is_near(z, temperature, n)) {
    log_softmax_kahan(z, g, temperature, out, n);
    return;
  }
  for (size_t i = 0; i < n; ++i) out[i] = exp((real)(z[i] / temperature));
  const real logarithm = log(pairwise(out, n));
  for (size_t i = 0; i < n; ++i) out[i] = (real)(z[i] / temperature) - logarithm;
}

static void log_softmax_log1p(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const real largest = largest_of(z, n);
  exponentials(z, temperature, out, n);
  for (size_t i = 0; i < n; ++i)
    if (z[i] == largest) {
      out[i] = 0;
      break;
    }
  const real logarithm = log1p(lanes8(out, n));
  for (size_t i = 0; i < n; ++i) out[i] = exponent(z[i], largest, temperature) - logarithm;
}

static void sigmoid_wide(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  for (size_t i = 0; i < n; ++i) {
    const wide e = exp(-fabs((wide)z[i] / temperature + given.bias));
    out[i] = (real)((wide)z[i] / temperature + given.bias >= 0 ? 1 / (1 + e) : e / (1 + e));
  }
}

static void sigmoid_normalized(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  const real largest = largest_of(z, n);
  for (size_t i = 0; i < n; ++i) {
    const real x = (real)(z[i] / temperature), e = exp(-fabs(x));
    out[i] = largest < 0 ? exp(exponent(z[i], largest, temperature)) / (1 + e) : x >= 0 ? 1 / (1 + e) : e / (1 + e);
  }
  divided(out, n, pairwise(out, n));
}

static void relu_normalized(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g, (void)temperature;
  const wide largest = largest_of(z, n);
  for (size_t i = 0; i < n; ++i) out[i] = z[i] > 0 ? (real)(z[i] / largest) : 0;
  if (largest > 0) divided(out, n, lanes64(out, n));
}

static void self_adjusted_v0(const real* z, const real* g, double temperature, real* out, size_t n) {
  softmax_kahan(z, g, temperature, out, n);
  for (size_t i = 0; i < n; ++i) out[i] = out[i] == 0 ? 0 : (real)(z[i] / (wide)temperature * out[i]);
}

static void self_adjusted_v2(const real* z, const real* g, double temperature, real* out, size_t n) {
  const wide largest = largest_of(z, n);
  wide smallest = z[0];
  for (size_t i = 1; i < n; ++i) smallest = z[i] < smallest ? z[i] : smallest;
  softmax_pairwise(z, g, temperature, out, n);
  for (size_t i = 0; i < n; ++i)
    out[i] = largest == smallest ? 0 : (real)((z[i] - smallest) / (largest - smallest) * out[i]);
}

#define KERNELS(X)                                                                  \
  X(pairwise_softmax, "softmax", softmax_pairwise, "plain")                         \
  X(backwards_softmax, "softmax", softmax_backwards, "plain+running")               \
  X(lanes8_softmax, "softmax", softmax_lanes8, "plain+lanes=8")                     \
  X(lanes64_softmax, "softmax", softmax_lanes64, "plain+lanes=64")                  \
  X(kahan_softmax, "softmax", softmax_kahan, "plain+compensated")                   \
  X(neumaier_softmax, "softmax", softmax_neumaier, "plain+compensated")             \
  X(sorted_softmax, "softmax", softmax_sorted, "plain+running")                     \
  X(inverse_softmax, "softmax", softmax_times_inverse, "plain")                     \
  X(twice_softmax, "softmax", softmax_computed_twice, "plain+compensated")          \
  X(exp2_softmax, "softmax", softmax_exp2, "plain+exponent=5")                      \
  X(wide_softmax, "softmax", softmax_wide, "plain+compensated+exponent=1+exp=0.5")  \
  X(online64_softmax, "softmax", softmax_online64, "plain+online=64")               \
  X(tree_softmax, "softmax", softmax_tree, "plain+online=1073741824")               \
  X(unshifted_softmax, "softmax", softmax_unshifted, "plain+unshifted")             \
  X(plain_softmax1, "softmax1", softmax1, "plain")                                  \
  X(first_softmax1, "softmax1", softmax1_first, "plain+running")                    \
  X(wide_ssmax, "ssmax", ssmax, "plain+lanes=8")                                    \
  X(heap_top_k, "top-k-softmax", top_k, "plain+running")                            \
  X(kahan_log_softmax, "log-softmax", log_softmax_kahan, "plain+compensated")       \
  X(backwards_log_softmax, "log-softmax", log_softmax_backwards, "plain+running")   \
  X(lanes64_log_softmax, "log-softmax", log_softmax_lanes64, "plain+lanes=64")      \
  X(wide_log_softmax, "log-softmax", log_softmax_in_wide, "plain+compensated")      \
  X(unshifted_log_softmax, "log-softmax", log_softmax_unshifted, "plain+unshifted") \
  X(log1p_log_softmax, "log-softmax", log_softmax_log1p, "plain+log1p+lanes=8")     \
  X(wide_sigmoid, "sigmoid", sigmoid_wide, "plain+exp=0.5")                         \
  X(pairwise_sigmoid_normalized, "sigmoid-normalized", sigmoid_normalized, "plain") \
  X(lanes_relu_normalized, "relu-normalized", relu_normalized, "plain+lanes=64")    \
  X(kahan_sa_softmax_v0, "sa-softmax-v0", self_adjusted_v0, "plain+compensated")    \
  X(pairwise_sa_softmax_v2, "sa-softmax-v2", self_adjusted_v2, "plain")

#include "tests/properties/conformance/exam/listed.h"
