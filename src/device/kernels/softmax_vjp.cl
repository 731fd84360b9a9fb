// The derivative of softmax, softmax1, ssmax and (TOP) top-k-softmax of rows, a group a row: p_i (g_i - sum p_j g_j)
// rho, p of exponentials of integers (exponentials.cl), rho = 1 / T, of ssmax s log(n) / T. What it may err by:
// docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/exponentials.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"

#ifndef TOP
#define TOP 0
#endif

DEVICE Signed gradient_of(Rule rule, Centre centre, float x, Signed g) {
  const Number slope = product_of(product_of(term_of(rule, x), centre.inverse), rate_of(rule));
  return about_mean(centre, g, slope, rule.call.sign < 0);
}
#include "src/device/kernels/centred.cl"

WIDE_KERNEL(GROUP)
softmax_vjp(ROWS, UPSTREAM, Exponentials call) {
  ROW;
  UPSTREAM_ROW;
  const Present mine = present_of(call.sign, row, mask, length);
  const u32 key = group_max(all, few, key_with_upstream(mine.key, row, mask, upstream, length));
  const u32 count = (u32)group_sum(all, few, mine.count);
  Rule rule = rule_of(call, key, count);
#if TOP
  float x[KEPT];
  first_reading(x, row, mask, length, MINUS_INFINITY);
  rule.choice = choice_of(all, few, call.k, x, row, mask, length);
#endif
  const Number more = call.zero != 0u ? term_of(rule, 0.0f) : no_number();
  const Centre centre = centre_of(all, few, rule, more, row, mask, upstream, length);
  store_gradients(result, rule, rule.top.bad, centre, row, mask, upstream, length);
}
