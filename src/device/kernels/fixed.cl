// Numbers of 200 bits, in five digits of 40, for what must be summed and compared exactly: differences of logits in
// units of 2^(e - 176), T = m 2^e, 1 <= m < 2. A kernel that must not cut off any bit has more digits. A logit is taken
// modulo 2^(e + 24), so that the difference of two that are within 2^(e + 3) of each other is right whatever they are
// themselves; what of a logit is below a unit is cut off, which keeps their order.
#ifndef ATTNCERT_FIXED
#define ATTNCERT_FIXED
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/number.cl"
#include "src/device/kernels/reciprocal.cl"

#ifndef DIGITS
#define DIGITS 5
#define FRACTION 176
#endif
#define DIGIT_BITS 40
#define DIGIT_MASK (((u64)1 << DIGIT_BITS) - 1u)

// The sum of digit[j] 2^(40 j). Carried: all but the last are within 0 and 2^40.
typedef struct {
  i64 digit[DIGITS];
} Fixed;

DEVICE Fixed fixed_zero() {
  Fixed zero;
  UNROLL for (int j = 0; j < DIGITS; ++j) zero.digit[j] = 0;
  return zero;
}
DEVICE Fixed carried(Fixed a) {
  UNROLL for (int j = 0; j + 1 < DIGITS; ++j) {
    const i64 carry = a.digit[j] >> DIGIT_BITS;
    a.digit[j] = (i64)((u64)a.digit[j] & DIGIT_MASK);
    a.digit[j + 1] += carry;
  }
  return a;
}

// m 2^at modulo 2^200, without what is below 1.
DEVICE Fixed placed(u64 m, int at) {
  Fixed a;
  UNROLL for (int j = 0; j < DIGITS; ++j) {
    const int up = at - DIGIT_BITS * j;
    const u64 moved = up >= 0 ? m << ((u32)up & 63u) : m >> ((u32)-up & 63u);
    a.digit[j] = up > -64 && up < DIGIT_BITS ? (i64)(moved & DIGIT_MASK) : 0;
  }
  return a;
}

// A finite x in these units.
DEVICE Fixed fixed_of(float x, int exponent) {
  const u32 b = bits_of(x), e = (b >> 23) & 255u;
  const u32 m = (b & 0x7fffffu) | (e > 0u ? 0x800000u : 0u);
  Fixed a = placed((u64)m, (int)(e > 0u ? e : 1u) - 150 + FRACTION - exponent);
  const i64 sign = b >> 31 ? -1 : 1;
  UNROLL for (int j = 0; j < DIGITS; ++j) a.digit[j] *= sign;
  return a;
}

// top - x, of 0 to 2^(e + 3).
DEVICE Fixed below_top(Fixed top, float x, int exponent) {
  Fixed d = fixed_of(x, exponent);
  UNROLL for (int j = 0; j < DIGITS; ++j) d.digit[j] = top.digit[j] - d.digit[j];
  d = carried(d);
  d.digit[DIGITS - 1] = (i64)((u64)d.digit[DIGITS - 1] & DIGIT_MASK);
  return d;
}

DEVICE Fixed sum_of(Fixed a, Fixed b) {
  UNROLL for (int j = 0; j < DIGITS; ++j) a.digit[j] += b.digit[j];
  return a;
}
DEVICE Fixed difference_of(Fixed a, Fixed b) {
  UNROLL for (int j = 0; j < DIGITS; ++j) a.digit[j] -= b.digit[j];
  return carried(a);
}

// Whether a < b, both carried.
DEVICE bool less(Fixed a, Fixed b) {
  bool smaller = false;
  UNROLL for (int j = 0; j < DIGITS; ++j) smaller = a.digit[j] < b.digit[j] || (a.digit[j] == b.digit[j] && smaller);
  return smaller;
}

typedef struct {
  i64 quotient, rest;
} Division;
// n by k, 0 < k < 2^31, n < 2^20 k: the product with a float within 2^-22 of 1 / k is within 1 of the quotient.
DEVICE Division divided(i64 n, i64 k, float inverse) {
  Division d;
  d.quotient = (i64)(nearest_float(n) * inverse);
  d.rest = n - d.quotient * k;
  if (d.rest < 0) d.quotient -= 1, d.rest += k;
  if (d.rest >= k) d.quotient += 1, d.rest -= k;
  return d;
}
// a / k rounded down; a is carried, 0 <= a < 2^178 k. Digits are taken by halves.
DEVICE Fixed mean_of(Fixed a, u32 k) {
  const u32 up = leading_zeros((u64)k);
  const float inverse = reciprocal((u64)k << (up & 63u), power_of_two((int)up - 63)).head;
  Division d = divided(a.digit[DIGITS - 1], (i64)k, inverse);
  Fixed mean;
  mean.digit[DIGITS - 1] = d.quotient;
  UNROLL for (int j = DIGITS - 2; j >= 0; --j) {
    d = divided((d.rest << 20) + (a.digit[j] >> 20), (i64)k, inverse);
    const i64 upper = d.quotient << 20;
    d = divided((d.rest << 20) + (a.digit[j] & 0xfffff), (i64)k, inverse);
    mean.digit[j] = upper + d.quotient;
  }
  return mean;
}

// The leading 64 bits of a number above 0, carried.
DEVICE Number leading_of(Fixed a) {
  u64 first = (u64)a.digit[DIGITS - 1], second = (u64)a.digit[DIGITS - 2], third = (u64)a.digit[DIGITS - 3];
  int place = (DIGITS - 1) * DIGIT_BITS;
  UNROLL for (int j = DIGITS - 4; j >= -2; --j) {
    if (first == 0u) {
      first = second, second = third, third = j < 0 ? 0u : (u64)a.digit[j < 0 ? 0 : j];
      place -= DIGIT_BITS;
    }
  }
  const u32 up = leading_zeros(first) & 63u;  // 14 or more
  Number l;
  l.bits = (first << up) | (((second << 24) | (third >> 16)) >> ((64u - up) & 63u));
  l.power = place - (int)up;
  return l;
}

// Of a float above 0: whole 2^power, whole < 2^24; the power of two of its first bit.
typedef struct {
  u32 whole;
  int power, exponent;
} Parts;
DEVICE Parts parts_of(float x) {
  const u32 b = bits_of(x), e = b >> 23;
  Parts p;
  p.whole = (b & 0x7fffffu) | (e > 0u ? 0x800000u : 0u);
  p.power = (int)(e > 0u ? e : 1u) - 150;
  p.exponent = p.power + 63 - (int)leading_zeros((u64)p.whole);
  return p;
}

// |x|.
DEVICE Number size_of(float x) {
  const Parts p = parts_of(float_of(bits_of(x) & 0x7fffffffu));
  return number_from((u64)p.whole, p.power);
}

// x / sum, x > 0, the sum's leading bits in units of 2^(exponent - 176): the product with its reciprocal, within 2^-43,
// rounded once.
DEVICE float part_of_sum(float x, Number sum, int exponent) {
  const Parts p = parts_of(x);
  return rounded(high_product((u64)p.whole << 40, inverse_word(sum.bits)),
                 p.power - sum.power - exponent + FRACTION - 102);
}

// Of a call: T = m 2^exponent, 1 <= m < 2: m 2^52, 1 / m in units of 2^-63, T rounded up.
typedef struct {
  u64 mantissa, inverse;
  float reach;
  int exponent;
} Temperature;

// T in units.
DEVICE Fixed fixed_temperature(Temperature t) { return placed(t.mantissa, FRACTION - 52); }

// (delta - d) / T.
DEVICE float share_of(Fixed delta, Fixed d, Temperature t) {
  const Number l = leading_of(difference_of(delta, d));
  return rounded(high_product(l.bits, t.inverse), l.power + 1 - FRACTION);
}

#endif  // ATTNCERT_FIXED
