// The row of weights of a normalizer that gives none to logits out of reach of the largest.
#ifndef ATTNCERT_WEIGHTS
#define ATTNCERT_WEIGHTS
#include "src/device/kernels/candidates.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"

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

#endif  // ATTNCERT_WEIGHTS
