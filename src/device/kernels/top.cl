// What the largest logit says of a row, and which logits are within reach of it.
#ifndef ATTNCERT_TOP
#define ATTNCERT_TOP
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"

// Where some are +infinity, they alone count, as logits of 0.
typedef struct {
  bool nothing, infinite, bad;  // only -infinity; some +infinity; some NaN
  float logit, bar;             // the largest, and below what nothing has weight
} Top;
// `reach` is at least what the threshold may be below the largest logit. A logit is a float, so that one above logit -
// reach is not below that rounded.
DEVICE Top top_of(u32 key, float reach) {
  Top top;
  const float largest = float_of_key(key);
  top.bad = key == NAN_KEY;
  top.nothing = largest == MINUS_INFINITY;
  top.infinite = largest == PLUS_INFINITY;
  top.logit = top.bad || top.nothing || top.infinite ? 0.0f : largest;
  top.bar = larger(top.logit - reach, -0x1.fffffep127f);
  return top;
}
// The logit as it counts: -infinity is below any bar.
DEVICE float counted(Top top, float x) {
  if (top.infinite) return x == PLUS_INFINITY ? 0.0f : MINUS_INFINITY;
  return top.bad ? MINUS_INFINITY : x;
}

#endif  // ATTNCERT_TOP
