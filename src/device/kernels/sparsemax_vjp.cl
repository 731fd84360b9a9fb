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

// The key of the lowest logit of a thread in the support, with its sign turned.
DEVICE u32 key_of_lowest(Fixed delta, Fixed highest, int exponent, GLOBAL const Element* row, GLOBAL const uchar* mask,
                         u32 length, Top top, Stretch mine) {
  float lowest = top.logit;
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= top.bar && z < lowest && less(below_top(highest, z, exponent), delta)) lowest = z;
    }
  return key_of(-lowest, false);
}

WIDE_KERNEL(GROUP)
sparsemax_vjp(ROWS, UPSTREAM, SparsemaxVjp call) {
  ROW;
  UPSTREAM_ROW;
  float x[KEPT];
  const int exponent = call.temperature.exponent;
  const u32 own = key_with_upstream(first_reading(x, row, mask, length, MINUS_INFINITY), row, mask, upstream, length);
  const Top top = top_of(group_max(all, few, own), call.temperature.reach);
  const Stretch mine = stretch_of(x, row, mask, length, top);
  const Fixed highest = fixed_of(top.logit, exponent);
  const Fixed delta = threshold_of(all, few, highest, call.temperature, true, row, mask, length, top, mine);
  const u32 lowest = key_of_lowest(delta, highest, exponent, row, mask, length, top, mine);
  Rule rule;
  rule.rate = call.rate;
  rule.lowest = -float_of_key(group_max(all, few, lowest));
  const Centre centre = centre_of(all, few, rule, no_number(), row, mask, upstream, length);
  store_gradients(result, rule, top.bad, centre, row, mask, upstream, length);
}
