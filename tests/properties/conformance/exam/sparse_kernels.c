/* Right kernels of unusual form: sparsemax and 1.5-entmax, and derivatives. Each is within the class that it names. */
#include <tgmath.h>

#include "tests/properties/conformance/exam/sums.h"

/* Depths (alpha - 1) (z - max z) / T of all; those above -1, among which the support is, to `near`. */
static size_t depths(const real* z, double temperature, real factor, real* out, real* near, size_t n) {
  const real largest = largest_of(z, n);
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    out[i] = exponent(z[i], largest, temperature) * factor;
    if (out[i] > -1) near[count++] = out[i];
  }
  return count;
}

static void above(real threshold, real* x, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] = x[i] > threshold ? x[i] - threshold : 0;
}

/* Michelot, Journal of Optimization Theory and Applications 50, 1986: what is below the threshold leaves. */
static real shrunk(real* near, size_t count, Sum* sum) {
  for (;;) {
    const real threshold = (sum(near, count) - 1) / (real)count;
    size_t left = 0;
    for (size_t i = 0; i < count; ++i)
      if (near[i] > threshold) near[left++] = near[i];
    if (left == count || left == 0) return threshold;
    count = left;
  }
}

#define SPARSEMAX_BY(sum)                                                                              \
  static void sparsemax_##sum(const real* z, const real* g, double temperature, real* out, size_t n) { \
    (void)g;                                                                                           \
    real* near = malloc(n * sizeof *near);                                                             \
    const size_t count = depths(z, temperature, 1, out, near, n);                                      \
    above(shrunk(near, count, sum), out, n);                                                           \
    free(near);                                                                                        \
  }
SPARSEMAX_BY(forwards)
SPARSEMAX_BY(pairwise)
SPARSEMAX_BY(kahan)
SPARSEMAX_BY(in_wide)

/* Halving tells the support, and the support the threshold. */
static void sparsemax_halving(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  real* near = malloc(n * sizeof *near);
  const size_t count = depths(z, temperature, 1, out, near, n);
  real low = -1, high = 0;
  for (int step = 0; step < 12; ++step) {
    const real middle = (low + high) / 2;
    wide mass = 0;
    for (size_t i = 0; i < count; ++i) mass += near[i] > middle ? near[i] - middle : 0;
    if (mass >= 1) low = middle;
    else high = middle;
  }
  size_t left = 0;
  for (size_t i = 0; i < count; ++i)
    if (near[i] > low) near[left++] = near[i];
  above(shrunk(near, left, in_wide), out, n);
  free(near);
}

static real squared_above(real threshold, const real* x, size_t n) {
  wide sum = 0;
  for (size_t i = 0; i < n; ++i) sum += x[i] > threshold ? ((wide)x[i] - threshold) * ((wide)x[i] - threshold) : 0;
  return (real)sum;
}

static void squares(real threshold, real* x, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] = x[i] > threshold ? (x[i] - threshold) * (x[i] - threshold) : 0;
}

/* Peters, Niculae, Martins, ACL 2019, algorithm 2: from the mean and the squares of the k largest. */
static void entmax15_sorted(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  real* near = malloc(n * sizeof *near);
  const size_t count = depths(z, temperature, (real)0.5, out, near, n);
  qsort(near, count, sizeof *near, descending);
  real sum = 0, of_squares = 0, threshold = -1;
  for (size_t k = 1; k <= count; ++k) {
    sum += near[k - 1];
    of_squares += near[k - 1] * near[k - 1];
    const real mean = sum / (real)k, spread = of_squares - sum * mean, rest = (1 - spread) / (real)k;
    if (rest < 0) break;
    const real next = mean - sqrt(rest);
    if (near[k - 1] < next) break;
    threshold = next;
  }
  free(near);
  squares(threshold, out, n);
}

/* Newton from below: the mass is convex, so no step goes too far. */
static void entmax15_newton(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  real* near = malloc(n * sizeof *near);
  const size_t count = depths(z, temperature, (real)0.5, out, near, n);
  real threshold = -1;
  for (int step = 0; step < 100; ++step) {
    wide slope = 0;
    for (size_t i = 0; i < count; ++i) slope += near[i] > threshold ? (wide)near[i] - threshold : 0;
    const real next = (real)(threshold + ((wide)squared_above(threshold, near, count) - 1) / (2 * slope));
    if (!(next > threshold)) break;
    threshold = next;
  }
  free(near);
  squares(threshold, out, n);
}

/* Halving to the last digit, and the weights divided by their sum. */
static void entmax15_halving(const real* z, const real* g, double temperature, real* out, size_t n) {
  (void)g;
  real* near = malloc(n * sizeof *near);
  const size_t count = depths(z, temperature, (real)0.5, out, near, n);
  real low = -1, high = 0;
  for (int step = 0; step < 60; ++step) {
    const real middle = (low + high) / 2;
    if (squared_above(middle, near, count) >= 1) low = middle;
    else high = middle;
  }
  free(near);
  squares(low, out, n);
  const real sum = in_wide(out, n);
  for (size_t i = 0; i < n; ++i) out[i] /= sum;
}

static void weights(const real* z, double temperature, real* out, size_t n, int and_one) {
  const real largest = and_one ? fmax(largest_of(z, n), (real)0) : largest_of(z, n);
  for (size_t i = 0; i < n; ++i) out[i] = exp(exponent(z[i], largest, temperature));
  const real sum = pairwise(out, n) + (and_one ? exp(exponent(0, largest, temperature)) : 0);
  for (size_t i = 0; i < n; ++i) out[i] /= sum;
}

static void weighted(const real* g, double temperature, real* out, size_t n) {
  wide mean = 0;
  for (size_t i = 0; i < n; ++i) mean += (wide)out[i] * g[i];
  for (size_t i = 0; i < n; ++i) out[i] = (real)(out[i] * (g[i] - mean) / temperature);
}

static void softmax_vjp(const real* z, const real* g, double temperature, real* out, size_t n) {
  weights(z, temperature, out, n, 0);
  weighted(g, temperature, out, n);
}

static void softmax1_vjp(const real* z, const real* g, double temperature, real* out, size_t n) {
  weights(z, temperature, out, n, 1);
  weighted(g, temperature, out, n);
}

static void log_softmax_vjp(const real* z, const real* g, double temperature, real* out, size_t n) {
  wide sum = 0;
  for (size_t i = 0; i < n; ++i) sum += g[i];
  weights(z, temperature, out, n, 0);
  for (size_t i = 0; i < n; ++i) out[i] = (real)((g[i] - out[i] * sum) / temperature);
}

#define KERNELS(X)                                                          \
  X(forwards_sparsemax, "sparsemax", sparsemax_forwards, "plain+running")   \
  X(pairwise_sparsemax, "sparsemax", sparsemax_pairwise, "plain")           \
  X(kahan_sparsemax, "sparsemax", sparsemax_kahan, "plain+compensated")     \
  X(wide_sparsemax, "sparsemax", sparsemax_in_wide, "plain+compensated")    \
  X(halving_sparsemax, "sparsemax", sparsemax_halving, "plain+compensated") \
  X(sorted_entmax, "entmax-1.5", entmax15_sorted, "plain+running")          \
  X(newton_entmax, "entmax-1.5", entmax15_newton, "plain+compensated")      \
  X(halving_entmax, "entmax-1.5", entmax15_halving, HALVING)                \
  X(pairwise_softmax_vjp, "softmax-vjp", softmax_vjp, "plain")              \
  X(pairwise_softmax1_vjp, "softmax1-vjp", softmax1_vjp, "plain")           \
  X(wide_log_softmax_vjp, "log-softmax-vjp", log_softmax_vjp, "plain")

/* A depth is off by three roundings of at most 1, the threshold by half a unit. */
#ifdef ROWS_OF_F64
#define HALVING "plain+compensated+threshold=5e-16"
#else
#define HALVING "plain+compensated+threshold=3e-7"
#endif

#include "tests/properties/conformance/exam/listed.h"
