// The derivative of relu-normalized of rows, a group a row: (g_i - sum a_j g_j) / S where z_i > 0, 0 elsewhere, a =
// max(z, 0) / S, S = sum max(z, 0). T cancels. What a gradient may err by: docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"

// The power of two of the largest logit: terms are beside it.
typedef struct {
  int exponent;
} Rule;
DEVICE Number term_of(Rule rule, float x) {
  if (!(x > 0.0f)) return no_number();
  Number size = size_of(x);
  size.power -= rule.exponent;
  return size;
}
DEVICE Signed gradient_of(Rule rule, Centre centre, float x, Signed g) {
  Number slope = x > 0.0f ? centre.inverse : no_number();
  slope.power -= rule.exponent;
  return about_mean(centre, g, slope, false);
}
#include "src/device/kernels/centred.cl"

WIDE_KERNEL(GROUP)
relu_normalized_vjp(ROWS, UPSTREAM, float temperature) {
  ROW;
  UPSTREAM_ROW;
  float x[KEPT];
  const u32 own = first_reading(x, row, mask, length, 0.0f);
  const u32 key = group_max(all, few, key_with_upstream(own, row, mask, upstream, length));
  const float largest = float_of_key(key);
  const bool bad = key == NAN_KEY;
  Rule rule;
  rule.exponent = bad || largest == 0.0f ? 0 : parts_of(largest).exponent;
  const Centre centre = centre_of(all, few, rule, no_number(), row, mask, upstream, length);
  store_gradients(result, rule, bad, centre, row, mask, upstream, length);
}
