// What 1.5-entmax does with the integers of fixed.cl: squares in units of 2^(2 e - 124), a step of Newton's, a weight.
#ifndef ATTNCERT_SQUARES
#define ATTNCERT_SQUARES
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"

// 2^2 of the square, in digits, of high 2^64 + low: without the product of the lower halves, 3 units too small at most.
DEVICE Fixed square_of_words(u64 high, u64 low) {
  const u64 cross = high_product(high, low);
  u64 a = high * high, b = high_product(high, high);
  UNROLL for (int twice = 0; twice < 2; ++twice) {
    a += cross;
    b += a < cross ? 1u : 0u;
  }
  Fixed square = fixed_zero();
  square.digit[0] = (i64)(a & DIGIT_MASK), square.digit[1] = (i64)((a >> 40) | ((b & 0xffffu) << 24));
  square.digit[2] = (i64)((b >> 16) & DIGIT_MASK), square.digit[3] = (i64)(b >> 56);
  return square;
}
// Of 0 <= w < 2^178, carried: the leading bits, 2^-126 of 2^(e + 2), are squared.
DEVICE Fixed square_of(Fixed w) {
  const u64 d1 = (u64)w.digit[1], d2 = (u64)w.digit[2], d3 = (u64)w.digit[3], d4 = (u64)w.digit[4];
  return square_of_words((d2 >> 34) | (d3 << 6) | (d4 << 46), (d1 >> 10) | (d2 << 30));
}

// 4 T^2: the square of 2 T, which is of 54 bits and so has lower halves of 0.
DEVICE Fixed wanted_squares(Temperature t) {
  const Fixed whole = fixed_temperature(t);
  return square_of(carried(sum_of(whole, whole)));
}

// sqrt(r), 0 < r <= 1, to 2^-20: from the bits of 1 / sqrt(r), wrong by 1/28 at most, by three of Newton's steps.
DEVICE float root_of(float r) {
  float y = float_of(0x5f3759dfu - (bits_of(r) >> 1));
  y = y * fused(-0.5f * r * y, y, 1.5f);
  y = y * fused(-0.5f * r * y, y, 1.5f);
  y = y * fused(-0.5f * r * y, y, 1.5f);
  return r * y;
}

// a / b 2^-scale, a = x 2^scale or so: the quotient of leading bits as a pair, within 2^-42, in (1/2, 2).
typedef struct {
  Pair ratio;
  int power;
} Quotient;
DEVICE Quotient quotient_of(Fixed a, Fixed b) {
  const Number x = leading_of(a), y = leading_of(b);
  const float head = (float)(u32)(x.bits >> 40) * 0x1p-23f, tail = (float)(u32)((x.bits >> 16) & 0xffffffu) * 0x1p-47f;
  const Pair r = reciprocal(y.bits, 1.0f);
  Quotient q;
  q.ratio.head = head * r.head;
  q.ratio.tail = fused(head, r.head, -q.ratio.head) + fused(head, r.tail, tail * r.head);
  q.power = x.power - y.power;
  return q;
}

// (F - Q) / (G (1 + sqrt(Q / F))) in units of 2^-176, rounded down, Q > 0; 0 where F <= Q. From 2^-20 of Q on the
// divisor is 2 G, which leaves the square of that.
DEVICE Fixed newton_step(Fixed sum, Fixed squares, Fixed wanted) {
  if (!less(wanted, squares)) return fixed_zero();
  const Fixed excess = difference_of(squares, wanted);
  const Quotient q = quotient_of(excess, sum), share = quotient_of(wanted, squares);
  const bool far = leading_of(excess).power > leading_of(wanted).power - 20;
  i64 units;  // of 2^-50 of the ratio
  if (far) {
    const float part = root_of(share.ratio.head * power_of_two(share.power));
    units = (i64)(q.ratio.head * (inverse_of(1.0f + part) * (1.0f - 0x1p-17f)) * 0x1p50f);
  } else {
    units = ((i64)(q.ratio.head * 0x1p49f) + (i64)(q.ratio.tail * 0x1p49f)) - ((i64)1 << 10);
  }
  return placed((u64)units, q.power + (FRACTION - 124) + FRACTION - 50);
}

// ((delta - d) / (2 T))^2.
DEVICE float squared_share_of(Fixed delta, Fixed d, Temperature t) {
  const Number l = leading_of(difference_of(delta, d));
  const u64 quotient = high_product(l.bits, t.inverse);
  const u32 up = leading_zeros(quotient) & 63u;
  const u64 v = quotient << up;
  return rounded(high_product(v, v), 64 + 2 * (l.power - FRACTION - (int)up));
}

#endif  // ATTNCERT_SQUARES
