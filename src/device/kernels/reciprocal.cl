// Reciprocals from multiplications, for there is no division that every device rounds alike.
#ifndef ATTNCERT_RECIPROCAL
#define ATTNCERT_RECIPROCAL
#include "src/device/kernels/dialect.cl"

typedef struct {
  float head, tail;
} Pair;

// 1 / s to 2^-23, s in [1, 2]: three of Newton's steps from what is within 1/17.
DEVICE float inverse_of(float s) {
  float r = fused(-0x1.e1e1e2p-2f, s, 0x1.6969p0f);
  r = fused(r, fused(-s, r, 1.0f), r);
  r = fused(r, fused(-s, r, 1.0f), r);
  return fused(r, fused(-s, r, 1.0f), r);
}

// scale / s, s = top 2^-63 in [1, 2), to 2^-44: the inverse of its leading 24 bits, and what that left.
DEVICE Pair reciprocal(u64 top, float scale) {
  const float s = (float)(u32)(top >> 40) * 0x1p-23f, rest = (float)(u32)((top >> 16) & 0xffffffu) * 0x1p-47f;
  const float r = inverse_of(s);
  const float left = fused(-rest, r, fused(-s, r, 1.0f));
  Pair p;
  p.head = r * scale;
  p.tail = (left * r) * scale;
  return p;
}
DEVICE float power_of_two(int n) { return float_of((u32)(n + 127) << 23); }

#endif  // ATTNCERT_RECIPROCAL
