// taylor-softmax of even order n of rows, a group a row: p_i = F_n(z_i / T) / their sum, F_n the first n + 1 terms of
// exp's series (taylor.cl), the sum exact (terms.cl). Where some are +infinity, they share. What a weight may err by:
// docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/taylor.cl"

typedef struct {
  Terms terms;
} Rule;
DEVICE Number term_of(Rule rule, float x) { return taylor_term(rule.terms, x); }
DEVICE float share_of_term(Rule rule, Number inverse, float x) {
  return float_of_number(product_of(term_of(rule, x), inverse));
}
#include "src/device/kernels/terms.cl"

WIDE_KERNEL(GROUP)
taylor_softmax(ROWS, Taylor call) {
  ROW;
  LOCAL u64 roots[2 * MOST_PAIRS];
  for (u32 k = thread_id(); k < 2u * call.pairs; k += GROUP) roots[k] = call.roots[k];
  float x[KEPT];
  const u32 own = first_reading(x, row, mask, length, MINUS_INFINITY);
  Rule rule;
  rule.terms = taylor_terms(all, few, roots, call.pairs, call.rate, own, row, mask, length);
  const Number inverse = inverse_of_terms(all, few, rule, row, mask, length);
  store_shares(result, rule, rule.terms.top.bad, inverse, row, mask, length);
}
