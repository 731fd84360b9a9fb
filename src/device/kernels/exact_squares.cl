// What sums of squares of differences of logits leave of 4 T^2, without any error: an integer of 684 bits in units of
// 2^(2 e - 640), T = m 2^e, digit by digit from the lowest. Logits are multiples of 2^-149 and T is one of 2^(e - 52),
// so that for e <= 171 their squares are multiples of a unit. A square (z - r)^2 is taken as z^2 - 2 z r + r^2 modulo
// 2^684, which is right for what is below 2^683.
#ifndef ATTNCERT_EXACT_SQUARES
#define ATTNCERT_EXACT_SQUARES
#include "src/device/kernels/candidates.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"

// Three digits of 36 bits of each of 2^22 candidates of a thread stay below 2^63.
#define SHORT_BITS 36
#define SHORT_MASK (((u64)1 << SHORT_BITS) - 1u)
#define SHORT_DIGITS 19
#define SQUARE_FRACTION 640

// Digit j of m 2^at.
DEVICE i64 digit_of(u64 m, int at, int j) {
  const int up = at - SHORT_BITS * j;
  const u64 moved = up >= 0 ? m << ((u32)up & 63u) : m >> ((u32)-up & 63u);
  return up > -64 && up < SHORT_BITS ? (i64)(moved & SHORT_MASK) : 0;
}
// And of (z - r)^2, of any sign.
DEVICE i64 digit_of_square(float z, float r, int exponent, int j) {
  const Parts p = parts_of(float_of(bits_of(z) & 0x7fffffffu)), q = parts_of(float_of(bits_of(r) & 0x7fffffffu));
  const int unit = SQUARE_FRACTION - 2 * exponent;
  const i64 twice = digit_of((u64)p.whole * q.whole, p.power + q.power + 1 + unit, j);
  return digit_of((u64)p.whole * p.whole, 2 * p.power + unit, j) +
         digit_of((u64)q.whole * q.whole, 2 * q.power + unit, j) + ((z < 0.0f) == (r < 0.0f) ? -twice : twice);
}
DEVICE i64 digit_of_squares(float r, int exponent, int j, GLOBAL const Element* row, GLOBAL const uchar* mask,
                            u32 length, Top top, Stretch mine) {
  i64 sum = 0;
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= r) sum += digit_of_square(z, r, exponent, j);
    }
  return sum;
}

// Whether it is above 0, and then its leading 64 bits in units of 2^(2 e).
typedef struct {
  bool some;
  Number size;
} Left;
// 4 T^2 less the squares of all candidates from r on.
DEVICE Left left_of_squares(LOCAL_PTR u64* all, LOCAL_PTR u64* few, float r, Temperature t, GLOBAL const Element* row,
                            GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  const u64 low = t.mantissa * t.mantissa, high = high_product(t.mantissa, t.mantissa);
  const int unit = SQUARE_FRACTION - 102;  // of (2^53 m)^2
  u64 first = 0u, second = 0u, third = 0u, before = 0u, before_that = 0u, digit;
  i64 carry = 0, borrow = 0;
  int place = 0, j = 0;
  do {
    carry += digit_of_squares(r, t.exponent, j, row, mask, length, top, mine);
    const u64 sum = group_sum(all, few, (u64)carry & SHORT_MASK);
    carry >>= SHORT_BITS;
    borrow += digit_of(low, unit, j) + digit_of(high, unit + 64, j) - (i64)sum;
    digit = (u64)borrow & SHORT_MASK;
    borrow >>= SHORT_BITS;
    if (digit != 0u) first = digit, second = before, third = before_that, place = SHORT_BITS * j;
    before_that = before, before = digit;
    j += 1;
  } while (j < SHORT_DIGITS);
  const u32 up = leading_zeros(first | 1u) & 63u;  // 28 or more
  Left left;
  left.some = first != 0u && digit >> (SHORT_BITS - 1) == 0u;
  left.size.bits = (first << up) | (((second << 28) | (third >> 8)) >> ((64u - up) & 63u));
  left.size.power = place - (int)up - SQUARE_FRACTION;
  return left;
}

#endif  // ATTNCERT_EXACT_SQUARES
