// The derivative of sigmoid-normalized of rows, a group a row: sigma'(z_i / T) / T / S (g_i - D), S the sum of
// sigma(z_j / T), D = sum sigma(z_j / T) g_j / S. What a gradient may err by: docs/budgets.md.
#define LOG2_CENTRE 9
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/sigma_terms.cl"
#include "src/device/kernels/signed.cl"

DEVICE Number slope_of(Rule rule, float x) {
  if (!(x >= rule.bar) || (!rule.alone && x > rule.call.right)) return no_number();
  const u64 depth = depth_in(rule, x);
  if (rule.alone) return decay_of(depth);
  return slope_of_sigma(depth);
}
DEVICE Signed gradient_of(Rule rule, Centre centre, float x, Signed g) {
  const Number slope = product_of(product_of(slope_of(rule, x), centre.inverse), rule.call.rate);
  return about_mean(centre, g, slope, false);
}
#include "src/device/kernels/centred.cl"

WIDE_KERNEL(GROUP)
sigmoid_normalized_vjp(ROWS, UPSTREAM, Sigmoid call) {
  ROW;
  UPSTREAM_ROW;
  float x[KEPT];
  const u32 own = first_reading(x, row, mask, length, MINUS_INFINITY);
  const u32 key = group_max(all, few, key_with_upstream(own, row, mask, upstream, length));
  const Rule rule = rule_of(call, key);
  const Centre centre = centre_of(all, few, rule, no_number(), row, mask, upstream, length);
  store_gradients(result, rule, key == NAN_KEY, centre, row, mask, upstream, length);
}
