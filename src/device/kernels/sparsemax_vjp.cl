// The derivative of sparsemax of rows, a group a row: (g_i - the mean of g over the support) / T there, 0 elsewhere.
// The support is exact: d_i = max z - z_i, T and their sums have every bit in units of 2^(e - 320), T = m 2^e, and d_i
// < delta is d_i < delta rounded up. What a gradient may err by: docs/budgets.md.
#define DIGITS 9
#define FRACTION 320
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/michelot.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"

// Of a call: T, with its reach, and 1 / T itself.
typedef struct {
  Temperature temperature;
  Number rate;
} SparsemaxVjp;

typedef struct {
  Number rate;
  float lowest;  // logit of the support
} Rule;
DEVICE Number term_of(Rule rule, float x) { return x >= rule.lowest ? number_from(1u, 0) : no_number(); }
DEVICE Signed gradient_of(Rule rule, Centre centre, float x, Signed g) {
  return about_mean(centre, g, product_of(term_of(rule, x), rule.rate), false);
}
#include "src/device/kernels/centred.cl"

WIDE_KERNEL(GROUP)
sparsemax_vjp(ROWS, UPSTREAM, SparsemaxVjp call) {
  ROW;
  UPSTREAM_ROW;
  float x[KEPT];
  const u32 own = key_with_upstream(first_reading(x, row, mask, length, MINUS_INFINITY), row, mask, upstream, length);
  const Top top = top_of(group_max(all, few, own), call.temperature.reach);
  const Stretch mine = stretch_of(x, row, mask, length, top);
  const Fixed highest = fixed_of(top.logit, call.temperature.exponent);
  const float lowest = threshold_of(all, few, highest, call.temperature, true, row, mask, length, top, mine).lowest;
  Rule rule;
  rule.rate = call.rate;
  rule.lowest = -float_of_key(group_max(all, few, key_of(-lowest, false)));
  const Centre centre = centre_of(all, few, rule, no_number(), row, mask, upstream, length);
  store_gradients(result, rule, top.bad, centre, row, mask, upstream, length);
}
