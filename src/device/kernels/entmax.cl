// alpha-entmax of rows, a group a row: p_i = max((alpha - 1) z_i / T - tau, 0)^(1 / (alpha - 1)) with sum 1, any alpha
// that is above 1 (entmax_threshold.cl). What a weight may err by: docs/budgets.md.
#define DIGITS 5
#define FRACTION 190
#include "src/device/kernels/candidates.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/entmax_threshold.cl"
#include "src/device/kernels/row.cl"

WIDE_KERNEL(GROUP)
entmax(ROWS, Entmax call) {
  ROW;
  LOCAL u64 series[3 * SERIES];
  for (u32 k = thread_id(); k < 3u * SERIES; k += GROUP) series[k] = call.series[k];
  float x[KEPT];
  Law law;
  law.series = series, law.rate = call.rate, law.exponent = call.exponent;
  const u32 own = first_reading(x, row, mask, length, MINUS_INFINITY);
  const Top top = top_of(group_max(all, few, own), call.reach);
  const Stretch mine = stretch_of(x, row, mask, length, top);
  const Support support = support_of(all, few, law, row, mask, length, top, mine);
  const Long gap = gap_of(all, few, law, call.bits, support, row, mask, length, top, mine);
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const float z = candidate_at(row, mask, i, length, top);
    float y = top.bad ? NOT_A_NUMBER : 0.0f;
    if (z >= support.lowest)
      y = float_of_number(number_of_long(weight_of_height(law, height_of(law, z, support.lowest, gap))));
    store(result, i, y);
  }
}
