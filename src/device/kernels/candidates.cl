// The logits of a row within reach of its largest: those of normalizers that give all others no weight.
#ifndef ATTNCERT_CANDIDATES
#define ATTNCERT_CANDIDATES
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed_sum.cl"
#include "src/device/kernels/row.cl"

// What the largest logit says of a row. Where some are +infinity, they alone count, as logits of 0.
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

// Vectors of a thread, from the first to behind the last that has a candidate.
typedef struct {
  u32 begin, end;
} Stretch;
DEVICE void reach(Stretch* stretch, const float* x, u32 at, Top top) {
  bool some = false;
  UNROLL for (int c = 0; c < VEC; ++c) some = some || counted(top, x[c]) >= top.bar;
  if (some) stretch->begin = stretch->end == 0u ? at : stretch->begin, stretch->end = at + 1u;
}
// The second reading, of memory where the row is not held in x.
DEVICE Stretch stretch_of(float* x, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, Top top) {
  Stretch stretch;
  stretch.begin = 0u, stretch.end = 0u;
#if HOLD
  UNROLL for (int j = 0; j < HOLD; j += VEC) reach(&stretch, x + j, (u32)j * GROUP + thread_id() * VEC, top);
#else
  for (u32 i = thread_id() * VEC; i < length; i += GROUP * VEC) {
    load_some(x, row, mask, i, length);
    reach(&stretch, x, i, top);
  }
#endif
  return stretch;
}
// Logit `at` of a stretch as it counts; -infinity behind the end of the row.
DEVICE float candidate_at(GLOBAL const Element* row, GLOBAL const uchar* mask, u32 at, u32 length, Top top) {
  return at < length ? counted(top, logit_at(row, mask, at)) : MINUS_INFINITY;
}
// The row of weights: WEIGHT of delta and d, a function of the kernel's, for candidates with d < delta.
DEVICE void store_weights(GLOBAL Element* result, Fixed delta, Fixed highest, Temperature temperature,
                          GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  float none[VEC];
  UNROLL for (int c = 0; c < VEC; ++c) none[c] = top.bad ? NOT_A_NUMBER : 0.0f;
  for (u32 i = thread_id() * VEC; i < length; i += GROUP * VEC) {
    if (i < mine.begin || i >= mine.end) {
      store_some(none, result, i, length);
    } else {
      for (u32 c = 0u; c < VEC && i + c < length; ++c) {
        const float z = candidate_at(row, mask, i + c, length, top);
        const Fixed d = below_top(highest, z, temperature.exponent);
        const bool weighs = z >= top.bar && less(d, delta);
        store(result, i + c, weighs ? WEIGHT(delta, d, temperature) : none[0]);
      }
    }
  }
}

#endif  // ATTNCERT_CANDIDATES
