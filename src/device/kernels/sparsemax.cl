// sparsemax of rows, a group a row: p_i = max(delta - d_i, 0) / T, d_i = max z - z_i, with sum 1.
//
//   delta = (T + the sum of the d_i below delta) / their number: Michelot's steps from delta = T, which only fall,
//           until the number stays. d_i and delta are integers (fixed.cl), their sum has no order and no error, and p
//           is the difference of two of them, rounded once.
// A thread reads again what stands between its first and its last candidate, d_i <= T. What a weight may err by:
// docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"

#define WEIGHT share_of
#include "src/device/kernels/candidates.cl"

// Candidates of a thread below delta: the sum of their d, and their number.
typedef struct {
  Fixed sum;
  u64 count;
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

KERNEL(GROUP)
sparsemax(ROWS, Temperature temperature) {
  ROW;
  float x[KEPT];
  const u32 own = first_reading(x, row, mask, length, MINUS_INFINITY);
  const Top top = top_of(group_max(all, few, own), temperature.reach);
  const Stretch mine = stretch_of(x, row, mask, length, top);
  const Fixed highest = fixed_of(top.logit, temperature.exponent), whole = fixed_temperature(temperature);
  Fixed delta = whole;
  u64 count = (u64)1 << 32;
  bool fewer;
  do {
    const Support part = support_below(delta, highest, temperature.exponent, row, mask, length, top, mine);
    const u64 found = group_sum(all, few, part.count);
    const Fixed sum = group_sum_of(all, few, part.sum);
    fewer = found > 0u && found < count;
    if (fewer) delta = mean_of(carried(sum_of(whole, sum)), (u32)found);
    count = found;
  } while (fewer);
  store_weights(result, delta, highest, temperature, row, mask, length, top, mine);
}
