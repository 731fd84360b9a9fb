// sigmoid of rows, a group a row: sigma(z_i / T + b). What a weight may err by: docs/budgets.md.
#include "src/device/kernels/biased_argument.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/sigma.cl"

// Between low and high the argument is within -126 and 126.
DEVICE float sigmoid_of(BiasedArgument call, float x) {
  if (x < call.low) return 0.0f;
  if (x > call.high) return 1.0f;
  return float_of_number(sigma_of(depth_at(call, x)));
}

WIDE_KERNEL(GROUP)
sigmoid(ROWS, BiasedArgument call) {
  ROW;
  float x[KEPT];
  const bool bad = group_max(all, few, first_reading(x, row, mask, length, MINUS_INFINITY)) == NAN_KEY;
  for (u32 i = thread_id(); i < length; i += GROUP)
    store(result, i, bad ? NOT_A_NUMBER : sigmoid_of(call, logit_at(row, mask, i)));
}
