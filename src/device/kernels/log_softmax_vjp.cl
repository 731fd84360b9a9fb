// The derivative of log-softmax of rows, a group a row: (g_i - p_i sum g_j) / T, p of exponentials of integers
// (exponentials.cl), the sum exact. What it may err by: docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/exponentials.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"

DEVICE Number one_where_present(float x, Number term) { return x == MINUS_INFINITY ? no_number() : number_from(1u, 0); }
DEVICE Signed gradient_of(Rule rule, Centre centre, float x, Signed g) {
  return product_signed(difference_signed(g, product_signed(centre.mean, term_of(rule, x))), rule.call.rate);
}
#define FACTOR one_where_present
#include "src/device/kernels/centred.cl"

WIDE_KERNEL(GROUP)
log_softmax_vjp(ROWS, UPSTREAM, Exponentials call) {
  ROW;
  UPSTREAM_ROW;
  const u32 own = key_with_upstream(present_of(call.sign, row, mask, length).key, row, mask, upstream, length);
  const Rule rule = rule_of(call, group_max(all, few, own), 1u);
  const Centre centre = centre_of(all, few, rule, no_number(), row, mask, upstream, length);
  store_gradients(result, rule, rule.top.bad, centre, row, mask, upstream, length);
}
