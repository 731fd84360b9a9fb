/* The orders in which kernels of the exam add. */
#ifndef ATTNCERT_TESTS_EXAM_SUMS_H
#define ATTNCERT_TESTS_EXAM_SUMS_H

#include "tests/properties/conformance/external/packed_rows.h"

#if defined(__GNUC__) /* not every file adds in every order */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

typedef real Sum(const real* x, size_t n);

static real pairwise(const real* x, size_t n) {
  return n == 1 ? x[0] : pairwise(x, n - n / 2) + pairwise(x + (n - n / 2), n / 2);
}

static real forwards(const real* x, size_t n) {
  real sum = 0;
  for (size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

static real backwards(const real* x, size_t n) {
  real sum = 0;
  for (size_t i = n; i-- > 0;) sum += x[i];
  return sum;
}

static real lanes8(const real* x, size_t n) {
  real lanes[8] = {0};
  for (size_t i = 0; i < n; ++i) lanes[i % 8] += x[i];
  return pairwise(lanes, 8);
}

static real lanes64(const real* x, size_t n) {
  real lanes[64] = {0};
  for (size_t i = 0; i < n; ++i) lanes[i % 64] += x[i];
  return pairwise(lanes, 64);
}

/* Kahan, Communications of the ACM 8, 1965. */
static real kahan(const real* x, size_t n) {
  real sum = 0, lost = 0;
  for (size_t i = 0; i < n; ++i) {
    const real term = x[i] - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}

/* Neumaier, Zeitschrift fuer angewandte Mathematik und Mechanik 54, 1974. */
static real neumaier(const real* x, size_t n) {
  real sum = 0, lost = 0;
  for (size_t i = 0; i < n; ++i) {
    const real next = sum + x[i];
    lost += fabs((double)sum) >= fabs((double)x[i]) ? (sum - next) + x[i] : (x[i] - next) + sum;
    sum = next;
  }
  return sum + lost;
}

static int ascending(const void* a, const void* b) {
  const real x = *(const real*)a, y = *(const real*)b;
  return (x > y) - (x < y);
}

static int descending(const void* a, const void* b) { return ascending(b, a); }

/* From the smallest term to the largest. */
static real sorted(const real* x, size_t n) {
  real* copy = malloc(n * sizeof *copy);
  memcpy(copy, x, n * sizeof *copy);
  qsort(copy, n, sizeof *copy, ascending);
  const real sum = forwards(copy, n);
  free(copy);
  return sum;
}

static real in_wide(const real* x, size_t n) {
  wide sum = 0;
  for (size_t i = 0; i < n; ++i) sum += x[i];
  return (real)sum;
}

#endif
