// What sigmoid-normalized and its derivative share: the terms sigma(z / T) of a row, from an exponential of integers
// (number.cl). Where all logits are below -48 T, sigma is the exponential, within e^-48 of itself, and is taken beside
// the largest.
#ifndef ATTNCERT_SIGMA_TERMS
#define ATTNCERT_SIGMA_TERMS
#include "src/device/kernels/depth.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/sigma.cl"

// Of a call: T with its reach; -48 T, rounded, and centre T, rounded down, above which sigma is 1; 1 / T.
typedef struct {
  Temperature temperature;
  float left, right;
  Number rate;
} Sigmoid;

typedef struct {
  Sigmoid call;
  float bar;      // below it nothing has weight
  Fixed highest;  // the largest logit, or centre T
  bool alone;     // the exponential for sigma
} Rule;

DEVICE Fixed times_centre(Fixed a) {
  UNROLL for (int j = 0; j < DIGITS; ++j) a.digit[j] <<= LOG2_CENTRE;
  return carried(a);
}
DEVICE Rule rule_of(Sigmoid call, u32 key) {
  const float largest = float_of_key(key);
  const bool nothing = key == NAN_KEY || largest == MINUS_INFINITY;
  const float from = nothing || largest > 0.0f ? 0.0f : largest;  // a reach below sigma(0) nothing has weight
  Rule rule;
  rule.call = call;
  rule.alone = from < call.left;
  rule.bar = larger(from - call.temperature.reach, -0x1.fffffep127f);
  rule.highest =
      rule.alone ? fixed_of(from, call.temperature.exponent) : times_centre(fixed_temperature(call.temperature));
  return rule;
}
// Of a logit that is not beyond right and bar.
DEVICE u64 depth_in(Rule rule, float x) {
  const Temperature t = rule.call.temperature;
  return depth_of_distance(below_top(rule.highest, x, t.exponent), t, ONCE);
}
DEVICE Number term_of(Rule rule, float x) {
  if (!(x >= rule.bar)) return no_number();
  if (!rule.alone && x > rule.call.right) return number_from(1u, 0);
  const u64 depth = depth_in(rule, x);
  if (rule.alone) return decay_of(depth);
  return sigma_of(depth);
}

#endif  // ATTNCERT_SIGMA_TERMS
