// The derivatives of self-adjusted softmax of rows, a group a row, f_i p_i of self_adjusted.cl. U = T in variants 0 and
// 1, the range in others; `from` is the largest logit and lo the low end, both 0 in variant 0 where no logit is far:
//   p_i (P c_i - e_i g_i + sum e_j p_j g_j) / T + d_i / U,   e_i = (from - z_i) / U, P = (from - lo) / U,
// c_i being what g_i is above the mean of g. d_i is p_i g_i, but at an end of the range that moves with its n logits
// p_i (g_i - their mean of g) - (1 / n) sum b_j p_j g_j over the others, b the distance from the other end over U, in
// variant 1 1: nothing cancels but what the gradient's size says. What it may err by: docs/budgets.md.
#include "src/device/kernels/adjusted.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed_sum.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"
#include "src/device/kernels/upstream.cl"

// And from what size of the largest logit on a row of variant 0 is far from 0.
typedef struct {
  SelfAdjusted adjusted;
  float far;
} SelfAdjustedVjp;

typedef struct {
  Temperature temperature;
  Number rate, over;  // 1 / T and 1 / U
  Top top;
  Fixed highest;
} Rule;
DEVICE Number exponential_of(Rule rule, float x) { return decay_below(rule.temperature, rule.top, rule.highest, x); }

// Some logits of a row: all of them by their exponentials, or those at an end as one each. The mean of their gradients
// is origin + rough + rest, origin one of them: so it errs by what they differ.
typedef struct {
  bool everywhere, even;  // even: b is 1
  float end, from, origin;
  Number inverse;                // 1 / the sum of what they count as
  Signed rough, rest, products;  // sum e_j p_j g_j, or sum b_j p_j g_j / n over the others
} Part;
DEVICE Signed no_sum() {
  Signed none;
  none.size = no_number(), none.negative = false;
  return none;
}
DEVICE Part part_at(bool everywhere, float end, float from, float origin) {
  Part part;
  part.everywhere = everywhere, part.even = false, part.end = end, part.from = from, part.origin = origin;
  part.inverse = no_number(), part.rough = no_sum(), part.rest = no_sum(), part.products = no_sum();
  return part;
}
DEVICE Signed sum_signed(Signed a, Signed b) {
  b.negative = !b.negative;
  return difference_signed(a, b);
}
DEVICE Signed above_mean(Part part, float g) {
  const Signed beside = difference_signed(signed_of(g), signed_of(part.origin));
  return difference_signed(difference_signed(beside, part.rough), part.rest);
}
// g by e, or by b.
DEVICE Signed by_distance(Rule rule, Part part, float x, float g) {
  const Signed distance = difference_signed(signed_of(part.from), signed_of(x));
  Signed product = signed_of(g);
  if (part.everywhere) product.negative = product.negative != distance.negative;
  return part.even ? product : product_signed(product, product_of(distance.size, rule.over));
}

// Of the four sums of a part: what its logits count as; by it, g above origin; g above origin + rough; and products.
DEVICE Signed term_of_step(Rule rule, Part part, u32 step, float x, float g) {
  const bool inside = part.everywhere || x == part.end, last = step == 3u;
  if (x == MINUS_INFINITY || (last ? inside && !part.everywhere : !inside)) return no_sum();
  Signed count = no_sum();
  count.size = part.everywhere || last ? exponential_of(rule, x) : number_from(1u, 0);
  if (step == 0u) return count;
  return product_signed(last ? by_distance(rule, part, x, g) : above_mean(part, g), count.size);
}
DEVICE Signed sum_of_step(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Rule rule, Part part, u32 step,
                          GLOBAL const Element* row, GLOBAL const uchar* mask, GLOBAL const Element* upstream,
                          u32 length) {
  u32 largest = 0u;
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const Number term = term_of_step(rule, part, step, logit_at(row, mask, i), load(upstream, i)).size;
    const u32 key = term.bits == 0u ? 0u : (u32)(term.power + 0x10000);
    largest = key > largest ? key : largest;
  }
  const int exponent = (int)group_max(all, few, largest) - 0x10000 + 63;
  Fixed sum = fixed_zero();
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const Signed term = term_of_step(rule, part, step, logit_at(row, mask, i), load(upstream, i));
    sum = sum_of(sum, placed_signed(term, FRACTION - exponent));
  }
  Signed total = leading_signed(group_sum_of(all, few, carried(sum)));
  total.size.power += exponent - FRACTION;
  return total;
}
// The part with that sum; shares: 1 / the sum of exponentials.
DEVICE Part with_step(Part part, u32 step, Signed total, Number shares) {
  if (step == 0u) part.inverse = inverse_number(total.size.bits == 0u ? number_from(1u, 0) : total.size);
  if (step == 1u) part.rough = product_signed(total, part.inverse);
  if (step == 2u) part.rest = product_signed(total, part.inverse);
  if (step == 3u) part.products = product_signed(total, shares);
  if (step == 3u && !part.everywhere) part.products = product_signed(part.products, part.inverse);
  return part;
}

// The key of the largest gradient of a thread's logits that are `end`.
DEVICE u32 key_of_upstream(float end, GLOBAL const Element* row, GLOBAL const uchar* mask,
                           GLOBAL const Element* upstream, u32 length) {
  u32 largest = 0u;
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const u32 key = logit_at(row, mask, i) == end ? key_of(load(upstream, i), false) : 0u;
    largest = key > largest ? key : largest;
  }
  return largest;
}

// What a row's gradients are made of, beside its parts.
typedef struct {
  Signed peak;  // P
  bool low_moves, high_moves;
} Ends;
DEVICE Signed at_end(Part part, Number p, float g) {
  return difference_signed(product_signed(above_mean(part, g), p), part.products);
}
DEVICE float gradient_of(Rule rule, Ends ends, Part whole, Part lowest, Part highest, float x, float g) {
  const Number p = product_of(exponential_of(rule, x), whole.inverse);
  Signed high = product_signed(above_mean(whole, g), ends.peak.size);
  high.negative = high.negative != ends.peak.negative;
  const Signed inner = sum_signed(high, difference_signed(whole.products, by_distance(rule, whole, x, g)));
  Signed own = product_signed(signed_of(g), p);
  if (ends.low_moves && x == lowest.end) own = at_end(lowest, p, g);
  if (ends.high_moves && x == highest.end) own = at_end(highest, p, g);
  const Signed slope = product_signed(product_signed(inner, p), rule.rate);
  return float_of_signed(sum_signed(slope, product_signed(own, rule.over)));
}

WIDE_KERNEL(GROUP)
self_adjusted_vjp(ROWS, UPSTREAM, SelfAdjustedVjp call) {
  ROW;
  UPSTREAM_ROW;
  float x[KEPT];
  const i64 variant = call.adjusted.variant;
  const u32 own = key_with_upstream(first_reading(x, row, mask, length, MINUS_INFINITY), row, mask, upstream, length);
  Rule rule;
  rule.temperature = call.adjusted.temperature, rule.rate = call.adjusted.inverse;
  rule.top = top_of(group_max(all, few, own), rule.temperature.reach);
  rule.highest = fixed_of(rule.top.logit, rule.temperature.exponent);
  const float most = rule.top.logit, least = -float_of_key(group_max(all, few, key_of_least(row, mask, length)));
  const Range range = range_of(variant, rule.top, least);
  const Number width = difference_signed(signed_of(range.high), signed_of(range.low)).size;
  rule.over = variant < 2 ? rule.rate : inverse_number(width.bits == 0u ? number_from(1u, 0) : width);
  const u32 at_most = group_max(all, few, key_of_upstream(most, row, mask, upstream, length));
  const u32 at_least = group_max(all, few, key_of_upstream(least, row, mask, upstream, length));
  const bool near = variant == 0 && float_of(bits_of(most) & 0x7fffffffu) < call.far;
  const float from = near ? 0.0f : most, low = variant == 0 ? 0.0f : range.low;
  Ends ends;
  ends.peak = product_signed(difference_signed(signed_of(from), signed_of(low)), rule.over);
  ends.low_moves = variant > 0 && (variant < 3 || least < 0.0f);
  ends.high_moves = variant == 2 || (variant == 3 && most > 0.0f);
  Part whole = part_at(true, most, from, float_of_key(at_most));
  Part lowest = part_at(false, least, range.high, float_of_key(at_least));
  Part highest = part_at(false, most, range.low, float_of_key(at_most));
  lowest.even = variant == 1;
  const u32 parts = variant == 0 ? 1u : variant == 1 ? 2u : 3u;
  u32 at = 0u, step = 0u;
  do {
    Part part = at == 0u ? whole : at == 1u ? lowest : highest;
    part = with_step(part, step, sum_of_step(all, few, rule, part, step, row, mask, upstream, length), whole.inverse);
    if (at == 0u) whole = part;
    if (at == 1u) lowest = part;
    if (at == 2u) highest = part;
    step = step == 3u ? 0u : step + 1u;
    at += step == 0u ? 1u : 0u;
  } while (at < parts);
  const bool flat = variant >= 2 && width.bits == 0u;
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const float z = logit_at(row, mask, i), g = load(upstream, i);
    float y = rule.top.bad ? NOT_A_NUMBER : 0.0f;
    if (!rule.top.bad && !flat && z != MINUS_INFINITY) y = gradient_of(rule, ends, whole, lowest, highest, z, g);
    store(result, i, y);
  }
}
