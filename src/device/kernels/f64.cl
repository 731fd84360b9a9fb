// Quotients, roots and logarithms of f64 from + - * and fused multiply-add alone, each with a proved error
// (docs/bounds.md, "On a device"): u = 2^-53. Without groups, so that the sequential program can call them.
#ifndef ATTNCERT_F64
#define ATTNCERT_F64
#define F64 1
#include "src/device/kernels/dialect.cl"

typedef struct {
  f64 root, inverse;
} Root;

// sqrt(x) within 1.01 u and 1 / sqrt(x) within 4 u, x from 2^-1000 to 2^1000. The difference of bits is within 0.035 of
// 1 / sqrt(x); a step of Newton's makes 1.5 e^2 of an error e, so that four leave roundings alone. The last line is a
// step for the root itself, its residual without cancellation.
DEVICE Root root_of(f64 x) {
  const f64 half_x = 0.5 * x;
  f64 y = f64_of(0x5fe6eb50c7b537a9ul - (bits64_of(x) >> 1));
  for (int step = 0; step < 4; ++step) y = y * fused64(-half_x * y, y, 1.5);
  const f64 near = x * y;
  Root found;
  found.root = fused64(fused64(-near, near, x), 0.5 * y, near);
  found.inverse = y;
  return found;
}

// a / b within 1.01 u where a is 2^-960 or more, b from 2^-1000 to 2^1000. The difference of bits is within 1/8 of
// 1 / b; a step makes e^2 of an error e.
DEVICE f64 quotient(f64 a, f64 b) {
  f64 y = f64_of(0x7fde623822fc16e6ul - bits64_of(b));
  for (int step = 0; step < 5; ++step) y = fused64(fused64(-b, y, 1.0), y, y);
  const f64 near = a * y;
  return fused64(fused64(-b, near, a), y, near);
}

// ln(1 / y), y from 0 to 1, as log_of_reciprocal in src/bounds/head_statistics.cpp and with the error proved there;
// between 708 and 711 for y = 0 and subnormal y.
DEVICE f64 log_of_reciprocal(f64 y) {
  const u64 one = 0x3ff0000000000000ul, root_half = 0x3fe6a09e667f3bcdul;
  const u64 shifted = bits64_of(y) + (one - root_half);
  const f64 m = f64_of((shifted & 0x000ffffffffffffful) + root_half);  // from sqrt(1/2) to sqrt 2
  const f64 e = f64_of((shifted >> 52) | 0x4330000000000000ul) - (0x1p52 + 1023.0);
  const f64 s = quotient(m - 1.0, m + 1.0), z = s * s;
  f64 series = 0x1.af286bca1af28p-4;  // 2 / 19, and so on
  series = fused64(series, z, 0x1.e1e1e1e1e1e1ep-4);
  series = fused64(series, z, 0x1.1111111111111p-3);
  series = fused64(series, z, 0x1.3b13b13b13b14p-3);
  series = fused64(series, z, 0x1.745d1745d1746p-3);
  series = fused64(series, z, 0x1.c71c71c71c71cp-3);
  series = fused64(series, z, 0x1.2492492492492p-2);
  series = fused64(series, z, 0x1.999999999999ap-2);
  series = fused64(series, z, 0x1.5555555555555p-1);
  series = fused64(series, z, 2.0);
  return fused64(-e, 0x1.62e42fefa39efp-1, -(s * series));
}

#endif  // ATTNCERT_F64
