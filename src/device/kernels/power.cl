// Powers of numbers of 192 bits, by their logarithms. What they err by: docs/budgets.md.
#ifndef ATTNCERT_POWER
#define ATTNCERT_POWER
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/long_number.cl"
#include "src/device/kernels/number.cl"
#include "src/device/kernels/reciprocal.cl"

#define SERIES 17  // 1 / k! in units of 2^-191, k from 1: the host has them

// 2^g - 1, both in units of 2^-192: of g ln2 / 256 by Taylor's series, then squared eight times.
APART Words exp2_less_one(LOCAL_PTR const u64* series, Words g) {
  const Words ln2 = words_of(0xb17217f7d1cf79abul, 0xc9e3b39803f2f6aful, 0x40f343267298b62dul);
  const Words z = words_right(words_product(g, ln2), 8u);
  Words s = words_of(0u, 0u, 0u);
  u64 none = 0u;
  NO_UNROLL for (int k = SERIES - 1; k >= 0; --k) {
    const Words term = words_of(series[3 * k], series[3 * k + 1], series[3 * k + 2]);
    s = words_sum(words_product(s, z), term, &none);
  }
  Words x = words_left(words_product(z, s), 1u);
  NO_UNROLL for (int k = 0; k < 8; ++k) x = words_sum(words_left(x, 1u), words_product(x, x), &none);
  return x;
}

// log2(m) in units of 2^-64, m = bits 2^-63 in [1, 2), by 2^-46 too small or 0: y = log(m) in float, then y + x - x^2 /
// 2 with 1 + x = m exp(-y).
DEVICE u64 rough_log2(u64 bits) {
  const float m = (float)(u32)(bits >> 40) * 0x1p-23f;
  const float s = (m - 1.0f) * (0.5f * inverse_of(0.5f * (m + 1.0f)));
  const float s2 = s * s;
  float q = fused(0x1.c71c72p-4f, s2, 0x1.24924ap-3f);
  q = fused(q, s2, 0x1.99999ap-3f);
  q = fused(q, s2, 0x1.555556p-2f);
  q = fused(q, s2, 1.0f);
  const i64 y = (i64)(2.0f * s * q * 0x1p53f);
  const Number e = decay_of((u64)y);
  const u64 product = high_product(e.bits, bits);  // of about 2^-63 or 2^-62
  const i64 x = (i64)(product >> ((u32)(-62 - e.power) & 63u)) - ((i64)1 << 61);
  const i64 log = (y << 8) + x - (((x >> 20) * (x >> 20)) >> 22);                      // in units of 2^-61
  const i64 log2 = (i64)high_product((u64)(log > 0 ? log : 0), 0xb8aa3b295c17f0bcul);  // of 2^-60
  return log2 > (1 << 14) ? (u64)(log2 - (1 << 14)) << 4 : 0u;
}

// log2(m) in units of 2^-192, m = words 2^-191 in [1, 2): beside the rough one, log(1 + d) = d - d^2 / 2 + d^3 / 3,
// where d is below 2^-45.
DEVICE Words log2_of(LOCAL_PTR const u64* series, Words m) {
  const u64 rough = rough_log2(m.high);
  Words root = words_right(exp2_less_one(series, words_of(0u - rough, 0u, 0u)), 1u);
  root.high |= (u64)1 << 63;  // 2^(1 - rough), or 1 where that is 0
  Words more = words_product(m, root);
  if (rough == 0u) more = words_left(more, 1u);
  more.high ^= (u64)1 << 63;
  const Long d = long_of_words(more, -191),
             third = long_of_words(words_of(0xaaaaaaaaaaaaaaaaul, 0xaaaaaaaaaaaaaaaaul, 0xaaaaaaaaaaaaaaaaul), -193);
  Long square = long_product(d, d);
  const Long cube = long_product(long_product(square, d), third);
  square.power -= 1;
  const Long log2_e = long_of_words(words_of(0xb8aa3b295c17f0bbul, 0xbe87fed0691d3e88ul, 0xeb577aa8dd695a58ul), -191);
  const Long rest = long_product(long_difference(long_sum(d, cube), square), log2_e);
  u64 carry = 0u;
  const Words log = words_sum(words_of(rough, 0u, 0u), words_right(rest.words, places(-192 - rest.power)), &carry);
  return carry == 0u ? log : words_of(~(u64)0, ~(u64)0, ~(u64)0);
}
// -log2(w), 0 < w; 0 where w is 1 or more.
APART Long minus_log2(LOCAL_PTR const u64* series, Long w) {
  const i64 whole = -191 - w.power;
  if (whole <= 0) return no_long();
  const Words part = log2_of(series, w.words);
  const Words rest = words_difference(words_of(0u, 0u, 0u), part);
  const bool none = (rest.high | rest.middle | rest.low) == 0u;
  return long_sum(long_of_words(words_of(0u, 0u, (u64)(none ? whole : whole - 1)), 0), long_of_words(rest, -192));
}
// 2^y, or 2^-y where `down`, y below 2^31.
APART Long exp2_of(LOCAL_PTR const u64* series, Long y, bool down) {
  const i64 above = y.power + 192;  // bits before the point
  const u64 whole = above > 0 ? y.words.high >> ((u32)(64 - above) & 63u) : 0u;
  const Words part = above > 0 ? words_left(y.words, (u32)above & 63u) : words_right(y.words, places(-above));
  const bool some = (part.high | part.middle | part.low) > 0u;
  const Words fraction = down ? words_difference(words_of(0u, 0u, 0u), part) : part;
  Long power;
  power.words = words_right(exp2_less_one(series, fraction), 1u);
  power.words.high |= (u64)1 << 63;
  power.power = (down ? -(i64)whole - (some ? 1 : 0) : (i64)whole) - 191;
  return power;
}

#endif  // ATTNCERT_POWER
