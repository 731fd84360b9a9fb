// What the derivatives of the softmax family share: the terms exp(s log(n) (z - max) / T) of a row, or without log n.
#ifndef ATTNCERT_EXPONENTIALS
#define ATTNCERT_EXPONENTIALS
#include "src/device/kernels/count.cl"
#include "src/device/kernels/depth.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/top.cl"
#include "src/device/kernels/top_k.cl"

// Of a call: T / |s| with its reach, |s| / T itself, the sign of s; whether a logit of 0 takes part that has no place
// (softmax1), and log n (ssmax); k of top-k-softmax.
typedef struct {
  Temperature temperature;
  Number rate;
  i64 sign;
  u32 zero, counted, k;
} Exponentials;

typedef struct {
  Exponentials call;
  Top top;
  Fixed highest;
  u64 factor;  // log n or 1, in units of 2^-59
  Choice choice;
} Rule;
DEVICE Rule rule_of(Exponentials call, u32 key, u32 count) {
  const u32 zero = key_of(0.0f, false);
  Rule rule;
  rule.call = call;
  rule.top = top_of(call.zero != 0u && zero > key ? zero : key, call.temperature.reach);
  rule.highest = fixed_of(rule.top.logit, call.temperature.exponent);
  rule.factor = call.counted != 0u ? log_of_count(count > 0u ? count : 1u) : ONCE;
  rule.choice = all_chosen();
  return rule;
}
// x as turned() has it.
DEVICE Number term_of(Rule rule, float x) {
  if (!(x >= rule.top.bar)) return no_number();
  const Temperature t = rule.call.temperature;
  return decay_of(depth_of_distance(below_top(rule.highest, x, t.exponent), t, rule.factor));
}
// s log(n) / T.
DEVICE Number rate_of(Rule rule) {
  return rule.call.counted != 0u ? product_of(rule.call.rate, number_from(rule.factor, -59)) : rule.call.rate;
}
DEVICE float logit_turned(Rule rule, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 at) {
  const float x = logit_at(row, mask, at);
  return is_chosen(rule.choice, x, at) ? turned(rule.call.sign, x) : MINUS_INFINITY;
}
#define LOGIT logit_turned

#endif  // ATTNCERT_EXPONENTIALS
