// The threshold of sparsemax: delta = (T + the sum of the d_i below delta) / their number, by Michelot's steps from
// delta = T, which only fall, until the number stays.
#ifndef ATTNCERT_MICHELOT
#define ATTNCERT_MICHELOT
#include "src/device/kernels/candidates.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"

// Candidates of a thread below delta: the sum of their d, and their number.
typedef struct {
  Fixed sum;
  u32 count;
} Support;
DEVICE Support support_below(Fixed delta, Fixed highest, int exponent, GLOBAL const Element* row,
                             GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  Support support;
  support.sum = fixed_zero(), support.count = 0u;
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= top.bar) {
        const Fixed d = below_top(highest, z, exponent);
        if (less(d, delta)) support.sum = sum_of(support.sum, d), support.count += 1u;
      }
    }
  support.sum = carried(support.sum);
  return support;
}

// delta in units, rounded up or down.
DEVICE Fixed threshold_of(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Fixed highest, Temperature temperature, bool up,
                          GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  Fixed delta = fixed_temperature(temperature);
  u32 count = 0xffffffffu;
  bool fewer;
  do {
    const Support part = support_below(delta, highest, temperature.exponent, row, mask, length, top, mine);
    const u32 found = (u32)group_sum(all, few, (u64)part.count);
    Fixed sum = sum_of(fixed_temperature(temperature), group_sum_of(all, few, part.sum));
    fewer = found > 0u && found < count;
    sum.digit[0] += up && fewer ? (i64)found - 1 : 0;
    if (fewer) delta = mean_of(carried(sum), found);
    count = found;
  } while (fewer);
  return delta;
}

#endif  // ATTNCERT_MICHELOT
