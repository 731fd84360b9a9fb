// The logits of a row within reach of its largest: those of normalizers that give all others no weight.
#ifndef ATTNCERT_CANDIDATES
#define ATTNCERT_CANDIDATES
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
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
// The sum of all threads' parts, which are carried.
DEVICE Fixed group_sum_of(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Fixed part) {
  Fixed sum;
  sum.digit[0] = (i64)group_sum(all, few, (u64)part.digit[0]);
  sum.digit[1] = (i64)group_sum(all, few, (u64)part.digit[1]);
  sum.digit[2] = (i64)group_sum(all, few, (u64)part.digit[2]);
  sum.digit[3] = (i64)group_sum(all, few, (u64)part.digit[3]);
  sum.digit[4] = (i64)group_sum(all, few, (u64)part.digit[4]);
  return carried(sum);
}

// What stands in the row where nothing has weight.
DEVICE float no_weight(Top top) { return top.bad ? NOT_A_NUMBER : 0.0f; }

#endif  // ATTNCERT_CANDIDATES
