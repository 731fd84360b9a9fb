// What self-adjusted softmax and its derivative share: exponentials of a row, and the ends of its logits.
#ifndef ATTNCERT_ADJUSTED
#define ATTNCERT_ADJUSTED
#include "src/device/kernels/depth.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/top.cl"

// Of a call: T as exponentials have it, and 1 / T itself.
typedef struct {
  Temperature temperature;
  Number inverse;
  i64 variant;
} SelfAdjusted;

// exp((x - max) / T), highest being the largest logit in units of T.
DEVICE Number decay_below(Temperature t, Top top, Fixed highest, float x) {
  if (!(x >= top.bar)) return no_number();
  return decay_of(depth_of_distance(below_top(highest, x, t.exponent), t, ONCE));
}

// The key of the smallest logit with its sign turned.
DEVICE u32 key_of_least(GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length) {
  float least = PLUS_INFINITY;
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const float x = logit_at(row, mask, i);
    least = x < least && x != MINUS_INFINITY ? x : least;
  }
  return key_of(-least, false);
}

// The range of a variant, of the least and the largest logit; 0 and the largest where nothing counts.
typedef struct {
  float low, high;
} Range;
DEVICE Range range_of(i64 variant, Top top, float least) {
  Range range;
  range.low = top.bad || top.nothing || top.infinite ? 0.0f : least, range.high = top.logit;
  if (variant == 3) range.low = range.low < 0.0f ? range.low : 0.0f, range.high = larger(range.high, 0.0f);
  return range;
}

#endif  // ATTNCERT_ADJUSTED
