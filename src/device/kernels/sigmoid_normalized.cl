// sigmoid-normalized of rows, a group a row: p_i = sigma(z_i / T) / their sum, sigma from an exponential of integers
// (number.cl), the sum exact (terms.cl). Where all logits are below -48 T, sigma is the exponential, within e^-48 of
// itself, and is taken beside the largest. What a weight may err by: docs/budgets.md.
#include "src/device/kernels/depth.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/sigma.cl"
#include "src/device/kernels/top.cl"

// Of a call: T with its reach; -48 T, rounded, and 128 T, rounded down, above which sigma is 1.
typedef struct {
  Temperature temperature;
  float left, right;
} Sigmoid;

typedef struct {
  Sigmoid call;
  float bar;      // below it nothing has weight
  Fixed highest;  // the largest logit, or 128 T
  bool alone;     // the exponential for sigma
} Rule;
DEVICE Number term_of(Rule rule, float x) {
  Temperature t = rule.call.temperature;
  if (!(x >= rule.bar)) return no_number();
  if (!rule.alone && x > rule.call.right) return number_from(1u, 0);
  const u64 depth = depth_of_distance(below_top(rule.highest, x, t.exponent), t, ONCE);
  if (rule.alone) return decay_of(depth);
  return sigma_of(depth);
}
DEVICE float share_of_term(Rule rule, Number inverse, float x) {
  return float_of_number(product_of(term_of(rule, x), inverse));
}
#include "src/device/kernels/terms.cl"

DEVICE Fixed times_128(Fixed a) {
  UNROLL for (int j = 0; j < DIGITS; ++j) a.digit[j] <<= 7;
  return carried(a);
}

KERNEL(GROUP)
sigmoid_normalized(ROWS, Sigmoid call) {
  ROW;
  float x[KEPT];
  const u32 key = group_max(all, few, first_reading(x, row, mask, length, MINUS_INFINITY));
  const float largest = float_of_key(key);
  const bool bad = key == NAN_KEY, nothing = bad || largest == MINUS_INFINITY;
  const float from = nothing || largest > 0.0f ? 0.0f : largest;  // beside sigma(0) and more -128 T has no weight
  Rule rule;
  rule.call = call;
  rule.alone = from < call.left;
  rule.bar = larger(from - call.temperature.reach, -0x1.fffffep127f);
  rule.highest =
      rule.alone ? fixed_of(from, call.temperature.exponent) : times_128(fixed_temperature(call.temperature));
  const Number inverse = inverse_of_terms(all, few, rule, row, mask, length);
  store_shares(result, rule, bad, inverse, row, mask, length);
}
