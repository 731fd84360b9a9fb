// The derivative of sigmoid of rows, a group a row: sigma'(u_i) g_i / T, u = z / T + b. What a gradient may err by:
// docs/budgets.md.
#define LOG2_CENTRE 10
#include "src/device/kernels/biased_argument.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/sigma.cl"
#include "src/device/kernels/signed.cl"
#include "src/device/kernels/upstream.cl"

// Between low and high the argument is within -1001 and 1001. And 1 / T.
typedef struct {
  BiasedArgument argument;
  Number rate;
} SigmoidVjp;

DEVICE float gradient_of_sigmoid(SigmoidVjp call, float x, float g) {
  if (!(x >= call.argument.low && x <= call.argument.high)) return 0.0f;
  const Number slope = product_of(slope_of_sigma(depth_at(call.argument, x)), call.rate);
  return float_of_signed(product_signed(signed_of(g), slope));
}

WIDE_KERNEL(GROUP)
sigmoid_vjp(ROWS, UPSTREAM, SigmoidVjp call) {
  ROW;
  UPSTREAM_ROW;
  const bool bad = group_max(all, few, key_with_upstream(0u, row, mask, upstream, length)) == NAN_KEY;
  for (u32 i = thread_id(); i < length; i += GROUP)
    store(result, i, bad ? NOT_A_NUMBER : gradient_of_sigmoid(call, logit_at(row, mask, i), load(upstream, i)));
}
