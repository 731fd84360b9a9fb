// Numbers of either sign: upstream gradients, their sums and their differences. What each errs by: docs/budgets.md.
#ifndef ATTNCERT_SIGNED
#define ATTNCERT_SIGNED
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/number.cl"

typedef struct {
  Number size;
  bool negative;
} Signed;

DEVICE Signed signed_of(float x) {
  Signed s;
  s.size = size_of(x), s.negative = x < 0.0f;
  return s;
}
DEVICE Signed product_signed(Signed a, Number b) {
  a.size = product_of(a.size, b);
  return a;
}

// a - b, cut off at 2^-63 of the larger.
DEVICE Signed difference_signed(Signed a, Signed b) {
  const bool higher = a.size.power > b.size.power || (a.size.power == b.size.power && a.size.bits >= b.size.bits);
  const bool own = b.size.bits == 0u || (a.size.bits != 0u && higher);
  Number first = own ? a.size : b.size;
  const Number second = own ? b.size : a.size;
  const int down = first.power - second.power;
  const u64 low = down < 64 ? second.bits >> ((u32)down & 63u) : 0u;
  if (a.negative == b.negative) {
    first.bits -= low;
  } else {
    const u64 sum = first.bits + low;
    const bool carries = sum < low;
    first.bits = carries ? (sum >> 1) | ((u64)1 << 63) : sum;
    first.power += carries ? 1 : 0;
  }
  Signed difference;
  difference.size = number_from(first.bits, first.power);
  difference.negative = own ? a.negative : !b.negative;
  return difference;
}

// s 2^up, without what is below 1.
DEVICE Fixed placed_signed(Signed s, int up) {
  Fixed a = placed(s.size.bits, s.size.power + up);
  const i64 sign = s.negative ? -1 : 1;
  UNROLL for (int j = 0; j < DIGITS; ++j) a.digit[j] *= sign;
  return a;
}
// The leading 64 bits of a carried number.
DEVICE Signed leading_signed(Fixed a) {
  Signed s;
  s.negative = a.digit[DIGITS - 1] < 0;
  if (s.negative) a = difference_of(fixed_zero(), a);
  s.size = leading_of(a);
  return s;
}

DEVICE float float_of_signed(Signed s) {
  const float size = float_of_number(s.size);
  return s.negative && s.size.bits != 0u ? -size : size;
}

// Of a row of a derivative: 1 / sum w, and the mean D = sum v g / sum w (centred.cl).
typedef struct {
  Number inverse;
  Signed mean;
} Centre;
// s (g - D), s negative where `turned`.
DEVICE Signed about_mean(Centre centre, Signed g, Number slope, bool turned) {
  Signed gradient = product_signed(difference_signed(g, centre.mean), slope);
  gradient.negative = gradient.negative != turned;
  return gradient;
}

#endif  // ATTNCERT_SIGNED
