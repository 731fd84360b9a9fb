// sigmoid-normalized of rows, a group a row: p_i = sigma(z_i / T) / their sum, the sum exact (terms.cl). What a weight
// may err by: docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/sigma_terms.cl"

DEVICE float share_of_term(Rule rule, Number inverse, float x) {
  return float_of_number(product_of(term_of(rule, x), inverse));
}
#include "src/device/kernels/terms.cl"

KERNEL(GROUP)
sigmoid_normalized(ROWS, Sigmoid call) {
  ROW;
  float x[KEPT];
  const u32 key = group_max(all, few, first_reading(x, row, mask, length, MINUS_INFINITY));
  const Rule rule = rule_of(call, key);
  const Number inverse = inverse_of_terms(all, few, rule, row, mask, length);
  store_shares(result, rule, key == NAN_KEY, inverse, row, mask, length);
}
