// The threshold of sparsemax: delta = (T + the sum of the d_i below delta) / their number, by Michelot's steps from
// delta = T, which only fall, until the number stays.
#ifndef ATTNCERT_MICHELOT
#define ATTNCERT_MICHELOT
#include "src/device/kernels/candidates.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"

// Candidates of a thread below delta: the sum of their d, their number, and the lowest of their logits.
typedef struct {
  Fixed sum;
  u32 count;
  float lowest;
} Support;
DEVICE Support support_below(Fixed delta, Fixed highest, int exponent, GLOBAL const Element* row,
                             GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  Support support;
  support.sum = fixed_zero(), support.count = 0u, support.lowest = top.logit;
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= top.bar) {
        const Fixed d = below_top(highest, z, exponent);
        if (less(d, delta)) {
          support.sum = sum_of(support.sum, d), support.count += 1u;
          support.lowest = z < support.lowest ? z : support.lowest;
        }
      }
    }
  support.sum = carried(support.sum);
  return support;
}

// delta in units, rounded up or down, and of a thread the lowest logit below it, or the row's largest.
typedef struct {
  Fixed delta;
  float lowest;
} Threshold;
DEVICE Threshold threshold_of(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Fixed highest, Temperature temperature, bool up,
                          GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  Threshold threshold;
  threshold.delta = fixed_temperature(temperature);
  u32 count = 0xffffffffu;
  bool fewer;
  do {
    const Support part = support_below(threshold.delta, highest, temperature.exponent, row, mask, length, top, mine);
    threshold.lowest = part.lowest;
    const u32 found = (u32)group_sum(all, few, (u64)part.count);
    Fixed sum = sum_of(fixed_temperature(temperature), group_sum_of(all, few, part.sum));
    fewer = found > 0u && found < count;
    sum.digit[0] += up && fewer ? (i64)found - 1 : 0;
    if (fewer) threshold.delta = mean_of(carried(sum), found);
    count = found;
  } while (fewer);
  return threshold;
}

#endif  // ATTNCERT_MICHELOT
