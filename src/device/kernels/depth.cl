// How far a logit is below another, as the argument of an exponential.
#ifndef ATTNCERT_DEPTH
#define ATTNCERT_DEPTH
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"

#define ONCE ((u64)1 << 59)
#define FARTHEST (~(u64)0)  // 2048

// d factor / T in units of 2^-53, d in the units of fixed.cl, factor in units of 2^-59 and below 32; FARTHEST for
// 2048 and more.
DEVICE u64 depth_of(Number d, Temperature t, u64 factor) {
  const int down = 117 - d.power;
  const u64 depth = high_product(high_product(d.bits, t.inverse), factor);
  if (d.power > 124) return FARTHEST;
  if (down >= 0) return down > 63 ? 0u : depth >> ((u32)down & 63u);
  return depth >> ((u32)(64 + down) & 63u) > 0u ? FARTHEST : depth << ((u32)-down & 63u);
}
DEVICE u64 depth_of_distance(Fixed d, Temperature t, u64 factor) { return depth_of(leading_of(d), t, factor); }

#endif  // ATTNCERT_DEPTH
