// The logits of a row within reach of its largest: those of normalizers that give all others no weight.
#ifndef ATTNCERT_CANDIDATES
#define ATTNCERT_CANDIDATES
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed_sum.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/top.cl"

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
#ifdef WEIGHT
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
#endif

#endif  // ATTNCERT_CANDIDATES
