// Whether a row of a derivative has numbers alone.
#ifndef ATTNCERT_UPSTREAM
#define ATTNCERT_UPSTREAM
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"

DEVICE bool is_finite(float x) { return (bits_of(x) & INFINITY_BITS) != INFINITY_BITS; }
// The key of a thread's largest logit: NaN's where one is +infinity, or the gradient beside one is not finite.
DEVICE u32 key_with_upstream(u32 key, GLOBAL const Element* row, GLOBAL const uchar* mask,
                             GLOBAL const Element* upstream, u32 length) {
  bool bad = false;
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const float x = logit_at(row, mask, i);
    bad = bad || (x != MINUS_INFINITY && !(is_finite(x) && is_finite(load(upstream, i))));
  }
  return bad ? NAN_KEY : key;
}

#endif  // ATTNCERT_UPSTREAM
