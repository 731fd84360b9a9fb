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

#endif  // ATTNCERT_CANDIDATES
