// The derivative of alpha-entmax of rows, a group a row: s_i (g_i - sum s_j g_j / sum s_j) / T, s = p^(2 - alpha), that
// is w^(b - 1), on the support and 0 off it, w and b of entmax_threshold.cl. For alpha > 2 s has no bound: terms are
// beside a power of two near that of the lowest logit. What a gradient may err by: docs/budgets.md.
#define DIGITS 5
#define FRACTION 190
#include "src/device/kernels/candidates.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/entmax_threshold.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"

// And |b - 1|, rounded too; 1 / T.
typedef struct {
  Entmax entmax;
  Long over;
  Number inverse;
  float rounded_over;
  u32 rises;  // alpha > 2
} EntmaxVjp;

typedef struct {
  Law law;
  Long over, gap;
  Number inverse;
  float lowest;
  bool rises;
  int exponent;
} Rule;
APART Number slope_of(Rule rule, float x) {
  const Long log = minus_log2(rule.law.series, height_of(rule.law, x, rule.lowest, rule.gap));
  const Long y = long_product(rule.over, log);
  return y.power + 192 > 28 ? no_number() : number_of_long(exp2_of(rule.law.series, y, !rule.rises));
}
DEVICE Number term_of(Rule rule, float x) {
  if (!(x >= rule.lowest)) return no_number();
  Number term = slope_of(rule, x);
  term.power -= rule.exponent;
  return term.power < -2000 ? no_number() : term;
}
DEVICE Signed gradient_of(Rule rule, Centre centre, float x, Signed g) {
  Number slope = x >= rule.lowest ? product_of(slope_of(rule, x), rule.inverse) : no_number();
  const Signed about = difference_signed(g, centre.mean);
  if (g.size.bits > 0u && about.size.power < g.size.power - 58) slope = no_number();  // nothing of g is left
  return about_mean(centre, g, slope, false);
}
#include "src/device/kernels/centred.cl"

WIDE_KERNEL(GROUP)
entmax_vjp(ROWS, UPSTREAM, EntmaxVjp call) {
  ROW;
  UPSTREAM_ROW;
  LOCAL u64 series[3 * SERIES];
  for (u32 k = thread_id(); k < 3u * SERIES; k += GROUP) series[k] = call.entmax.series[k];
  float x[KEPT];
  Rule rule;
  rule.law.series = series, rule.law.rate = call.entmax.rate, rule.law.exponent = call.entmax.exponent;
  const u32 own = key_with_upstream(first_reading(x, row, mask, length, MINUS_INFINITY), row, mask, upstream, length);
  const Top top = top_of(group_max(all, few, own), call.entmax.reach);
  const Stretch mine = stretch_of(x, row, mask, length, top);
  const Support support = support_of(all, few, rule.law, row, mask, length, top, mine);
  rule.over = call.over, rule.inverse = call.inverse, rule.rises = call.rises > 0u, rule.lowest = support.lowest;
  rule.gap = gap_of(all, few, rule.law, call.entmax.bits, support, row, mask, length, top, mine);
  const float below_one = (float)(-191 - (int)rule.gap.power) * call.rounded_over;
  rule.exponent = rule.rises ? (int)below_one + 1 : 0;
  const Centre centre = centre_of(all, few, rule, no_number(), row, mask, upstream, length);
  store_gradients(result, rule, top.bad, centre, row, mask, upstream, length);
}
