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
#include "src/device/kernels/weights.cl"

#include "src/device/kernels/michelot.cl"

KERNEL(GROUP)
sparsemax(ROWS, Temperature temperature) {
  ROW;
  float x[KEPT];
  const u32 own = first_reading(x, row, mask, length, MINUS_INFINITY);
  const Top top = top_of(group_max(all, few, own), temperature.reach);
  const Stretch mine = stretch_of(x, row, mask, length, top);
  const Fixed highest = fixed_of(top.logit, temperature.exponent);
  const Fixed delta = threshold_of(all, few, highest, temperature, false, row, mask, length, top, mine).delta;
  store_weights(result, delta, highest, temperature, row, mask, length, top, mine);
}
