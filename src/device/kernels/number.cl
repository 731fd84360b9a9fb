// Positive numbers of 64 bits without floats: products, reciprocals and exponentials within 2^-51 of themselves, so
// that what is made of some of them is rounded once. What each errs by: docs/budgets.md.
#ifndef ATTNCERT_NUMBER
#define ATTNCERT_NUMBER
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/reciprocal.cl"

// bits 2^power; the first of the 64 bits is set, or all are 0.
typedef struct {
  u64 bits;
  int power;
} Number;

// x 2^n rounded once to nearest, ties to even, x > 0 and x 2^n < 2^127; subnormal results too.
DEVICE float rounded(u64 x, int n) {
  const u32 up = leading_zeros(x) & 63u;
  const int exponent = 63 - (int)up + n, kept = exponent < -126 ? -126 : exponent;
  const int drop = 40 + kept - exponent;  // of 64 bits
  if (drop > 64) return 0.0f;
  const u64 lifted = x << up;
  u64 whole = drop == 64 ? 0u : lifted >> ((u32)drop & 63u);
  const u64 rest = lifted << ((u32)(64 - drop) & 63u), middle = (u64)1 << 63;
  if (rest > middle || (rest == middle && (whole & 1u))) whole += 1u;
  return float_of(((u32)(kept + 126) << 23) + (u32)whole);
}

DEVICE Number number_from(u64 bits, int power) {
  const u32 up = leading_zeros(bits | 1u) & 63u;
  Number n;
  n.bits = bits << up;
  n.power = power - (int)up;
  return n;
}
DEVICE Number no_number() { return number_from(0u, 0); }
DEVICE Number product_of(Number a, Number b) {
  return number_from(high_product(a.bits, b.bits), a.power + b.power + 64);
}

// 1 / s in units of 2^-63, s = bits 2^-63 in [1, 2), within 2^-43.
DEVICE u64 inverse_word(u64 bits) {
  const Pair r = reciprocal(bits, 1.0f);
  return (u64)((i64)(r.head * 0x1p62f) + (i64)(r.tail * 0x1p62f)) << 1;
}
// 1 / x: that, and one more of Newton's steps.
DEVICE Number inverse_number(Number x) {
  const u64 v = inverse_word(x.bits);
  const i64 left = ((i64)1 << 62) - (i64)high_product(x.bits, v);  // 1 - x v in units of 2^-62
  return number_from(v + (u64)(((i64)(v >> 32) * left) >> 30), -126 - x.power);
}

// 1 + x, x <= 1.
DEVICE Number one_more(Number x) {
  const u32 down = (u32)(-62 - x.power);
  return number_from(((u64)1 << 62) + (down < 64u ? x.bits >> (down & 63u) : 0u), -62);
}

// exp(-q), q in units of 2^-53, as 2^(g - n), 0 <= g < 1: Taylor's polynomial of degree 14.
DEVICE Number decay_of(u64 q) {
  const u64 t = high_product(q, 0xb8aa3b295c17f0bcul);  // q log2(e) in units of 2^-52
  const u64 fraction = t << 12, g = 0u - fraction;
  const int n = (int)(t >> 52) + (fraction > 0u ? 1 : 0);
  u64 sum = 0x4c526u;  // ln2^k / k! in units of 2^-62, k from 14
  sum = 0x605865u + high_product(sum, g);
  sum = 0x70ef594u + high_product(sum, g);
  sum = 0x7a32b1cdu + high_product(sum, g);
  sum = 0x7933d4563ul + high_product(sum, g);
  sum = 0x6d494f4e58ul + high_product(sum, g);
  sum = 0x58b0088e972ul + high_product(sum, g);
  sum = 0x3ff97f8b1162ul + high_product(sum, g);
  sum = 0x2861225f0d8f1ul + high_product(sum, g);
  sum = 0x15d87fe78a6731ul + high_product(sum, g);
  sum = 0x9d955b7dd273b9ul + high_product(sum, g);
  sum = 0x38d611ae09417f1ul + high_product(sum, g);
  sum = 0xf5fdeffc162c754ul + high_product(sum, g);
  sum = 0x2c5c85fdf473de6bul + high_product(sum, g);
  sum = 0x4000000000000000ul + high_product(sum, g);
  return number_from(sum, -62 - n);
}

// The float next to n; +infinity where that is next.
DEVICE float float_of_number(Number n) {
  if (n.bits == 0u) return 0.0f;
  return n.power + 63 > 127 ? PLUS_INFINITY : rounded(n.bits, n.power);
}

#endif  // ATTNCERT_NUMBER
