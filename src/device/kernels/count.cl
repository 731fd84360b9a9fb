// What ssmax asks of a row: the number of logits that take part, its logarithm, and logits turned around where s < 0.
#ifndef ATTNCERT_COUNT
#define ATTNCERT_COUNT
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/number.cl"
#include "src/device/kernels/row.cl"

// A logit as it takes part. +infinity would have no weight to take where s < 0.
DEVICE float turned(i64 sign, float x) {
  if (x == MINUS_INFINITY || x != x) return x;
  if (sign == 0) return 0.0f;
  if (sign > 0) return x;
  return x == PLUS_INFINITY ? NOT_A_NUMBER : -x;
}

// log n in units of 2^-59, 0 < n < 2^31: y in float, 2^-18 off, then y + log(1 + x), x - x^2 / 2, 1 + x = n exp(-y).
DEVICE u64 log_of_count(u32 n) {
  const u32 up = leading_zeros((u64)n) & 63u;
  const float whole = nearest_float((i64)n), power = power_of_two(63 - (int)up);
  const float s = (whole - power) * (inverse_of(0.5f * (whole * power_of_two((int)up - 63) + 1.0f)) *
                                     (0.5f * power_of_two((int)up - 63)));
  const float s2 = s * s;
  float q = fused(0x1.c71c72p-4f, s2, 0x1.24924ap-3f);
  q = fused(q, s2, 0x1.99999ap-3f);
  q = fused(q, s2, 0x1.555556p-2f);
  q = fused(q, s2, 1.0f);
  const i64 rough = (i64)(fused(2.0f * s, q, (float)(63 - (int)up) * 0x1.62e43p-1f) * 0x1p53f);
  const Number e = decay_of((u64)rough);
  const u64 product = high_product(e.bits, (u64)n << up);  // of about 2^-63 or 2^-62
  const i64 x = (i64)(product >> ((u32)((int)up - 123 - e.power) & 63u)) - ((i64)1 << 59);
  return (u64)((rough << 6) + x - (((x >> 10) * (x >> 10)) >> 40));
}

// Of the logits of a thread that take part: how many, and the largest.
typedef struct {
  u64 count;
  u32 key;
} Present;
DEVICE Present present_of(i64 sign, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length) {
  Present present;
  present.count = 0u, present.key = key_of(MINUS_INFINITY, false);
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const float z = turned(sign, logit_at(row, mask, i));
    const u32 key = key_of(z, z != z);
    present.count += z == MINUS_INFINITY ? 0u : 1u;
    present.key = key > present.key ? key : present.key;
  }
  return present;
}

#endif  // ATTNCERT_COUNT
