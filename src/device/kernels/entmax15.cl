// 1.5-entmax of rows, a group a row: p_i = (max(delta - d_i, 0) / (2 T))^2, d_i = max z - z_i, with sum 1, delta by
// Newton's steps on integers (norm_threshold.cl). What a weight may err by: docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/norm_threshold.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/squares.cl"

#define WEIGHT squared_share_of
#include "src/device/kernels/weights.cl"

WIDE_KERNEL(GROUP)
entmax15(ROWS, Temperature temperature) {
  ROW;
  float x[KEPT];
  const u32 own = first_reading(x, row, mask, length, MINUS_INFINITY);
  const Top top = top_of(group_max(all, few, own), temperature.reach);
  const Stretch mine = stretch_of(x, row, mask, length, top);
  const Fixed highest = fixed_of(top.logit, temperature.exponent);
  const Fixed delta = norm_threshold(all, few, highest, temperature, row, mask, length, top, mine);
  store_weights(result, delta, highest, temperature, row, mask, length, top, mine);
}
