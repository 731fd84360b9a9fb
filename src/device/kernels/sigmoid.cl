// sigmoid of rows, a group a row: sigma(z_i / T + b). (128 - b) T, exact but for what is below its units, is the
// host's; the distance of a logit from it is an integer, which loses nothing where z and b T cancel. What a weight may
// err by: docs/budgets.md.
#include "src/device/kernels/depth.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/sigma.cl"

// Units are 2^-120 of 2^e, T = m 2^e, so that distances count modulo 2^(e + 80).
#define COARSER 56

// Of a call: T; (128 - b) T, carried; the logits below which sigma is 0, and above which it is 1: between them z / T
// + b is within -126 and 126.
typedef struct {
  Temperature temperature;
  Fixed centre;
  float low, high;
} BiasedSigmoid;

DEVICE float sigmoid_of(BiasedSigmoid call, float x) {
  if (x < call.low) return 0.0f;
  if (x > call.high) return 1.0f;
  Number distance = leading_of(below_top(call.centre, x, call.temperature.exponent + COARSER));
  distance.power += COARSER;
  return float_of_number(sigma_of(depth_of(distance, call.temperature, ONCE)));
}

WIDE_KERNEL(GROUP)
sigmoid(ROWS, BiasedSigmoid call) {
  ROW;
  float x[KEPT];
  const bool bad = group_max(all, few, first_reading(x, row, mask, length, MINUS_INFINITY)) == NAN_KEY;
  for (u32 i = thread_id(); i < length; i += GROUP)
    store(result, i, bad ? NOT_A_NUMBER : sigmoid_of(call, logit_at(row, mask, i)));
}
