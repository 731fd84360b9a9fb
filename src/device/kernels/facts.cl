// What a device must do as IEEE 754-2019 says, asked of it: src/device/facts.cpp compares each answer with the host's.
// Fact f about triple i is answers[f count + i].
#include "src/device/kernels/dialect.cl"

KERNEL(64)
facts(GLOBAL const float* RESTRICT a, GLOBAL const float* RESTRICT b, GLOBAL const float* RESTRICT c,
      GLOBAL u32* RESTRICT answers, GLOBAL u16* RESTRICT halves, u64 count) {
  const u64 i = group_id() * 64u + thread_id();
  const float product = a[i] * b[i];
  answers[i] = bits_of(product);
  answers[count + i] = bits_of(a[i] + c[i]);
  answers[2u * count + i] = bits_of(fused(a[i], b[i], c[i]));
  answers[3u * count + i] = bits_of(a[i] * b[i] + c[i]);  // rounded twice
  answers[4u * count + i] = bits_of(larger(a[i], b[i]));
  const u64 wide = ((u64)bits_of(a[i]) << 32) | bits_of(b[i]);
  answers[5u * count + i] = bits_of((float)(u32)(bits_of(a[i]) >> 8));  // 24 bits: exact
  answers[6u * count + i] = bits_of(nearest_float((i64)wide));
  answers[7u * count + i] = leading_zeros(wide >> (bits_of(c[i]) & 63u));
  halves[i] = half_of(a[i]);
  answers[8u * count + i] = halves[i];
  answers[9u * count + i] = bits_of(float_of_half(halves[i]));
  const u64 upper = high_product(wide, ((u64)bits_of(c[i]) << 32) | bits_of(b[i]));
  answers[10u * count + i] = (u32)upper ^ (u32)(upper >> 32);
}
