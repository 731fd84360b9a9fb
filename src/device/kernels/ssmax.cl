// ssmax of rows, a group a row: softmax of s log(n) z / T, n the number of logits that take part. A depth below the
// largest logit is an integer (depth.cl), its exponential a Number, their sum exact (terms.cl). s < 0 turns the row
// around; s = 0 makes its logits equal. What a weight may err by: docs/budgets.md.
#include "src/device/kernels/count.cl"
#include "src/device/kernels/depth.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/top.cl"

// Of a call: T / |s|, with its reach, and the sign of s.
typedef struct {
  Temperature temperature;
  i64 sign;
} Ssmax;

typedef struct {
  Ssmax call;
  Top top;
  Fixed highest;
  u64 factor;  // log n, in units of 2^-59
} Rule;
DEVICE Number term_of(Rule rule, float x) {
  const float z = counted(rule.top, turned(rule.call.sign, x));
  if (!(z >= rule.top.bar)) return no_number();
  const Temperature t = rule.call.temperature;
  return decay_of(depth_of_distance(below_top(rule.highest, z, t.exponent), t, rule.factor));
}
DEVICE float share_of_term(Rule rule, Number inverse, float x) {
  return float_of_number(product_of(term_of(rule, x), inverse));
}
#include "src/device/kernels/terms.cl"

WIDE_KERNEL(GROUP)
ssmax(ROWS, Ssmax call) {
  ROW;
  const Present mine = present_of(call.sign, row, mask, length);
  const u32 key = group_max(all, few, mine.key), count = (u32)group_sum(all, few, mine.count);
  Rule rule;
  rule.call = call;
  rule.top = top_of(key, call.temperature.reach);
  rule.highest = fixed_of(rule.top.logit, call.temperature.exponent);
  rule.factor = log_of_count(count > 0u ? count : 1u);
  const Number inverse = inverse_of_terms(all, few, rule, row, mask, length);
  store_shares(result, rule, rule.top.bad, inverse, row, mask, length);
}
