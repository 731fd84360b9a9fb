// Self-adjusted softmax of rows, a group a row: f_i p_i, p = softmax(z / T), f_i of variant 0 to 3
//   z_i / T    (z_i - low) / T    (z_i - low) / (high - low)    the same, low = min(low, 0), high = max(high, 0)
// low and high being the least and the largest logit. Exponentials are Numbers, their sum exact (terms.cl), differences
// of logits too (fixed.cl). Without a range there is no weight. What a weight may err by: docs/budgets.md.
#include "src/device/kernels/adjusted.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"

typedef struct {
  SelfAdjusted call;
  Top top;
  Fixed highest;  // in units of T
  Fixed low;      // in units of `exponent`
  int exponent;   // of the largest size of a logit
  Number over;    // 1 / T or 1 / the range
} Rule;
DEVICE Number term_of(Rule rule, float x) { return decay_below(rule.call.temperature, rule.top, rule.highest, x); }
// x less the low end.
DEVICE Number distance_from(Fixed low, float x, int exponent) {
  Fixed d = fixed_of(x, exponent);
  UNROLL for (int j = 0; j < DIGITS; ++j) d.digit[j] -= low.digit[j];
  Number n = leading_of(carried(d));
  n.power += exponent - FRACTION;
  return n;
}
DEVICE float share_of_term(Rule rule, Number inverse, float x) {
  const Number p = product_of(product_of(term_of(rule, x), inverse), rule.over);
  if (p.bits == 0u) return 0.0f;
  const bool sized = rule.call.variant == 0;
  const float share = float_of_number(product_of(p, sized ? size_of(x) : distance_from(rule.low, x, rule.exponent)));
  return sized && x < 0.0f ? -share : share;
}
#include "src/device/kernels/terms.cl"

WIDE_KERNEL(GROUP)
self_adjusted(ROWS, SelfAdjusted call) {
  ROW;
  float x[KEPT];
  const u32 key = group_max(all, few, first_reading(x, row, mask, length, MINUS_INFINITY));
  const float least = -float_of_key(group_max(all, few, key_of_least(row, mask, length)));
  Rule rule;
  rule.call = call;
  rule.top = top_of(key, call.temperature.reach);
  const Range range = range_of(call.variant, rule.top, least);
  const float widest = larger(float_of(bits_of(range.low) & 0x7fffffffu), float_of(bits_of(range.high) & 0x7fffffffu));
  rule.exponent = widest > 0.0f ? parts_of(widest).exponent : 0;
  rule.highest = fixed_of(rule.top.logit, call.temperature.exponent);
  rule.low = fixed_of(range.low, rule.exponent);
  rule.over = call.variant < 2 ? call.inverse : inverse_number(distance_from(rule.low, range.high, rule.exponent));
  const Number inverse = inverse_of_terms(all, few, rule, row, mask, length);
  store_shares(result, rule, rule.top.bad || rule.top.infinite, inverse, row, mask, length);
}
