// The derivative of taylor-softmax of rows, a group a row: F_(n-1)(x_i) / T / S (g_i - D), x = z / T, S = sum F_n(x_j),
// D = sum F_n(x_j) g_j / S. n! F_(n-1) is n (x - r) by the product over its pairs of roots (taylor.cl), r < 0 the real
// one. At the two logits beside r T, where x - r has no digits left, the host has it exactly. What a gradient may err
// by: docs/budgets.md.
#define MOST_PAIRS 47  // of orders 48 and 47
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/taylor.cl"

// And -r; the largest logit that is not above r T and the least one above it, NaN where they are not needed, and the
// size of n! F_(n-1) there.
typedef struct {
  Taylor taylor;
  Number root;
  Number sizes[2];
  float beside[2];
} TaylorVjp;

typedef struct {
  Terms terms;
  u32 more;
  Number root, below, above;
  float beside_below, beside_above;
} Rule;
DEVICE Number term_of(Rule rule, float x) { return taylor_term(rule.terms, x); }
DEVICE Signed slope_of(Rule rule, float z) {
  const Signed x = argument_of(rule.terms.rate, z);
  Signed root;
  root.size = rule.root, root.negative = true;
  Signed slope = difference_signed(x, root);
  const Number rest = product_over(rule.terms.roots + 2u * rule.terms.pairs, rule.more, x);
  slope.size = product_of(product_of(slope.size, number_from((u64)rule.terms.pairs, 1)), rest);
  if (z == rule.beside_below) slope.size = rule.below, slope.negative = true;
  if (z == rule.beside_above) slope.size = rule.above, slope.negative = false;
  slope.size.power -= rule.terms.exponent;
  return slope;
}
DEVICE Signed gradient_of(Rule rule, Centre centre, float x, Signed g) {
  const Signed slope = slope_of(rule, x);
  const Number size = product_of(product_of(slope.size, centre.inverse), rule.terms.rate);
  return about_mean(centre, g, size, slope.negative);
}
#include "src/device/kernels/centred.cl"

WIDE_KERNEL(GROUP)
taylor_softmax_vjp(ROWS, UPSTREAM, TaylorVjp call) {
  ROW;
  UPSTREAM_ROW;
  LOCAL u64 roots[2 * MOST_PAIRS];
  for (u32 k = thread_id(); k < 2u * (call.taylor.pairs + call.taylor.more); k += GROUP)
    roots[k] = call.taylor.roots[k];
  float x[KEPT];
  const u32 own = key_with_upstream(first_reading(x, row, mask, length, MINUS_INFINITY), row, mask, upstream, length);
  Rule rule;
  rule.terms = taylor_terms(all, few, roots, call.taylor.pairs, call.taylor.rate, own, row, mask, length);
  rule.more = call.taylor.more;
  rule.root = call.root, rule.below = call.sizes[0], rule.above = call.sizes[1];
  rule.beside_below = call.beside[0], rule.beside_above = call.beside[1];
  const Centre centre = centre_of(all, few, rule, no_number(), row, mask, upstream, length);
  store_gradients(result, rule, rule.terms.top.bad, centre, row, mask, upstream, length);
}
