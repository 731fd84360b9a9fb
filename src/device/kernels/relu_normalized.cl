// relu-normalized of rows, a group a row: p_i = max(z_i, 0) / their sum, an exact one of integers (fixed.cl). Where
// some are +infinity, they share. What a weight may err by: docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed_sum.cl"
#include "src/device/kernels/row.cl"

DEVICE float positive_part(float x, bool infinite) {
  if (infinite) return x == PLUS_INFINITY ? 1.0f : 0.0f;
  return larger(x, 0.0f);
}
DEVICE Fixed sum_of_positive(GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, bool infinite,
                             int exponent) {
  Fixed sum = fixed_zero();
  for (u32 i = thread_id() * VEC; i < length; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float x = i + c < length ? positive_part(logit_at(row, mask, i + c), infinite) : 0.0f;
      if (x > 0.0f) sum = sum_of(sum, fixed_of(x, exponent));
    }
  return carried(sum);
}

// T, which cancels, is asked for as of all.
KERNEL(GROUP)
relu_normalized(ROWS, float temperature) {
  ROW;
  float x[KEPT];
  const u32 key = group_max(all, few, first_reading(x, row, mask, length, 0.0f));
  const float largest = float_of_key(key);
  const bool bad = key == NAN_KEY, infinite = largest == PLUS_INFINITY, none = bad || largest == 0.0f;
  const int exponent = none || infinite ? 0 : parts_of(largest).exponent;
  const Fixed part = sum_of_positive(row, mask, length, infinite, exponent);
  const Number sum = leading_of(group_sum_of(all, few, part));
  for (u32 i = thread_id() * VEC; i < length; i += GROUP * VEC) {
    float y[VEC];
    load_some(y, row, mask, i, length);
    UNROLL for (int c = 0; c < VEC; ++c) {
      const float z = none ? 0.0f : positive_part(y[c], infinite);
      y[c] = bad ? NOT_A_NUMBER : 0.0f;
      if (z > 0.0f) y[c] = part_of_sum(z, sum, exponent);
    }
    store_some(y, result, i, length);
  }
}
