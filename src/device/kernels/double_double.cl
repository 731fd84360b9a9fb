// Pairs of f64, the unevaluated sum of both, and exponentials of them: what the judge of rows is made of
// (docs/double-double.md, 8). It shares nothing with the kernels that it judges but the dialect. Without groups.
#ifndef ATTNCERT_DOUBLE_DOUBLE
#define ATTNCERT_DOUBLE_DOUBLE
#include "src/device/kernels/f64.cl"

typedef struct {
  f64 high, low;
} Pair;

DEVICE Pair pair_of(f64 high, f64 low) {
  Pair p;
  p.high = high, p.low = low;
  return p;
}

// a + b exactly.
DEVICE Pair two_sum(f64 a, f64 b) {
  const f64 s = a + b, part = s - a;
  return pair_of(s, (a - (s - part)) + (b - part));
}

// The same where |a| >= |b|.
DEVICE Pair fast_two_sum(f64 a, f64 b) {
  const f64 s = a + b;
  return pair_of(s, b - (s - a));
}

DEVICE Pair two_product(f64 a, f64 b) {
  const f64 p = a * b;
  return pair_of(p, fused64(a, b, -p));
}

// a b without a.low b.low; not normalised.
DEVICE Pair pair_product(Pair a, Pair b) {
  Pair p = two_product(a.high, b.high);
  p.low = fused64(a.high, b.low, p.low);
  p.low = fused64(a.low, b.high, p.low);
  return p;
}

DEVICE Pair pair_sum(Pair a, Pair b) {
  const Pair s = two_sum(a.high, b.high);
  return fast_two_sum(s.high, s.low + (a.low + b.low));
}

// first + factor r
DEVICE Pair series_step(f64 first, Pair factor, f64 r) {
  const Pair p = two_product(factor.high, r), s = fast_two_sum(first, p.high);
  return pair_of(s.high, s.low + fused64(factor.low, r, p.low));
}

// exp(r), |r| < 0.022: the series to r^11 / 11!, its first five terms in pairs.
DEVICE Pair series_of(f64 r) {
  f64 q = 0x1.ae64567f544e4p-26;  // 1 / 11!, and so on
  q = fused64(q, r, 0x1.27e4fb7789f5cp-22);
  q = fused64(q, r, 0x1.71de3a556c734p-19);
  q = fused64(q, r, 0x1.a01a01a01a01ap-16);
  q = fused64(q, r, 0x1.a01a01a01a01ap-13);
  q = fused64(q, r, 0x1.6c16c16c16c17p-10);
  q = fused64(q, r, 0x1.1111111111111p-7);
  Pair e = fast_two_sum(0x1.5555555555555p-5, q * r);  // 1 / 4!
  e.low = e.low + 0x1.5555555555555p-59;
  e = series_step(0x1.5555555555555p-3, e, r);
  e.low = e.low + 0x1.5555555555555p-57;
  e = series_step(0.5, e, r);
  e = series_step(1.0, e, r);
  return series_step(1.0, e, r);
}

// 2^512 exp(x), x from -800 to 0. powers: 2^(j/16), j = 0 .. 15, rounded; then what each of them lacks, relative to it.
// ln2 / 16 is taken off x in three pieces, n times.
DEVICE Pair exponential_of(GLOBAL const f64* powers, Pair x) {
  const f64 rounding = 0x1.8p52 + 16.0 * 512.0;  // makes an integer of a number, and 16 512 + n of it in its last bits
  const f64 shifted = fused64(x.high, 0x1.71547652b82fep+4, rounding), n = shifted - rounding;
  const f64 partly = fused64(-n, 0x1.62e42fefa0000p-5, x.high), r = fused64(-n, 0x1.cf79abca00000p-44, partly);
  const f64 rounded_off = fused64(-n, 0x1.cf79abca00000p-44, partly - r);
  const f64 rest = fused64(-n, -0x1.c4c67fc0d0951p-80, rounded_off) + x.low;
  const Pair e = series_of(r);
  const u64 steps = bits64_of(shifted), j = steps & 15u;
  const f64 power = f64_of(bits64_of(powers[j]) + ((steps - j) << 48));  // 2^(n/16 + 512)
  const f64 correction = fused64(e.high, powers[16u + j] + rest, e.low);
  Pair result = two_product(e.high, power);
  result.low = fused64(correction, power, result.low);
  return result;
}

// (z - pivot) factor, and -800 where it is less: both exponentials are nothing beside a sum then.
DEVICE Pair argument_of(f64 z, f64 pivot, Pair factor) {
  const Pair product = pair_product(two_sum(z, -pivot), factor);
  const Pair x = fast_two_sum(product.high, product.low);
  const bool deep = !(x.high > -800.0);  // where the product overflows its low part is NaN
  return pair_of(deep ? -800.0 : x.high, deep ? 0.0 : x.low);
}

// 1 / a within 10 u^2, a.high from 1 to 2^25.
DEVICE Pair inverse_of(Pair a) {
  const f64 y = quotient(1.0, a.high);
  return pair_of(y, y * fused64(-a.low, y, fused64(-a.high, y, 1.0)));
}

#endif  // ATTNCERT_DOUBLE_DOUBLE
