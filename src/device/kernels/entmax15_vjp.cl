// The derivative of 1.5-entmax of rows, a group a row: s_i (g_i - sum s_j g_j / sum s_j) / T, s = sqrt(p). With r the
// lowest logit of the support and n how far the threshold is below it, s_i = ((z_i - r) + n) / (2 T), and with D_i =
// z_i - r of the k logits from r on, S = sum D, R = 4 T^2 - sum D^2 it is
//   n = R / (S + sqrt(S^2 + k R)):
// nothing cancels but in R, an exact integer (exact_squares.cl). r is in the support where R > 0: Newton's threshold
// (norm_threshold.cl) says where to look, R decides. What a gradient may err by: docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/exact_squares.cl"
#include "src/device/kernels/norm_threshold.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"

// Of a call: T, with its reach, and 1 / T itself.
typedef struct {
  Temperature temperature;
  Number rate;
} Entmax15Vjp;

typedef struct {
  Temperature temperature;
  Number rate, gap;  // n in units of 2^e
  float lowest;      // r
} Rule;
DEVICE Number sum_of_numbers(Number a, Number b) {
  Signed first, second;
  first.size = a, first.negative = false;
  second.size = b, second.negative = true;
  return difference_signed(first, second).size;
}
DEVICE Number term_of(Rule rule, float x) {
  if (!(x >= rule.lowest)) return no_number();
  Number distance = difference_signed(signed_of(x), signed_of(rule.lowest)).size;
  distance.power -= rule.temperature.exponent;
  return product_of(sum_of_numbers(distance, rule.gap), number_from(rule.temperature.inverse, -64));
}
DEVICE Signed gradient_of(Rule rule, Centre centre, float x, Signed g) {
  return about_mean(centre, g, product_of(term_of(rule, x), rule.rate), false);
}
#include "src/device/kernels/centred.cl"

// sqrt(a) within 2^-60 of itself: root_of, and two of Newton's steps, (y + a / y) / 2.
DEVICE Number root_of_number(Number a) {
  const int odd = a.power & 1, power = (a.power + odd) >> 1;  // a = (bits 2^(-64 - odd)) 2^(2 (power + 32))
  const float part = (float)(u32)(a.bits >> 40) * (odd > 0 ? 0x1p-25f : 0x1p-24f);
  Number y = number_from((u64)(i64)(root_of(part) * 0x1p62f), power - 30);
  UNROLL for (int step = 0; step < 2; ++step) {
    y = sum_of_numbers(y, product_of(a, inverse_number(y)));
    y.power -= 1;
  }
  return y;
}

// The key of the lowest logit of a thread that is above `from`, with its sign turned, and below the largest one by less
// than delta.
DEVICE u32 key_of_next(float from, Fixed delta, Fixed highest, int exponent, GLOBAL const Element* row,
                       GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  float lowest = top.logit;
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= top.bar && z > from && z < lowest && less(below_top(highest, z, exponent), delta)) lowest = z;
    }
  return key_of(-lowest, false);
}

// Of the logits of a thread from r on: the sum of what they are above r, and their number.
typedef struct {
  Fixed sum;
  u32 count;
} Distances;
DEVICE Distances distances_from(float r, int exponent, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length,
                                Top top, Stretch mine) {
  Distances distances;
  distances.sum = fixed_zero(), distances.count = 0u;
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= r) distances.sum = sum_of(distances.sum, below_top(fixed_of(z, exponent), r, exponent));
      if (z >= r) distances.count += 1u;
    }
  distances.sum = carried(distances.sum);
  return distances;
}
// n, of S, R and k.
DEVICE Number gap_of(Number sum, Number left, u32 count) {
  const Number square = sum_of_numbers(product_of(sum, sum), product_of(left, number_from((u64)count, 0)));
  return product_of(left, inverse_number(sum_of_numbers(sum, root_of_number(square))));
}

WIDE_KERNEL(GROUP)
entmax15_vjp(ROWS, UPSTREAM, Entmax15Vjp call) {
  ROW;
  UPSTREAM_ROW;
  float x[KEPT];
  const Temperature temperature = call.temperature;
  const int exponent = temperature.exponent;
  const u32 own = key_with_upstream(first_reading(x, row, mask, length, MINUS_INFINITY), row, mask, upstream, length);
  const Top top = top_of(group_max(all, few, own), temperature.reach);
  const Stretch mine = stretch_of(x, row, mask, length, top);
  const Fixed highest = fixed_of(top.logit, exponent);
  Fixed delta = norm_threshold(all, few, highest, temperature, row, mask, length, top, mine);
  delta = carried(sum_of(delta, placed((u64)1, FRACTION - 90)));  // it may be 2^-93 too small
  float lowest = MINUS_INFINITY;
  Left left;
  do {
    const u32 key = key_of_next(lowest, delta, highest, exponent, row, mask, length, top, mine);
    lowest = -float_of_key(group_max(all, few, key));
    left = left_of_squares(all, few, lowest, temperature, row, mask, length, top, mine);
  } while (!left.some && lowest < top.logit);
  const Distances part = distances_from(lowest, exponent, row, mask, length, top, mine);
  const u32 count = (u32)group_sum(all, few, (u64)part.count);
  Number sum = leading_of(group_sum_of(all, few, part.sum));
  sum.power -= FRACTION;
  Rule rule;
  rule.temperature = temperature, rule.rate = call.rate, rule.lowest = lowest;
  rule.gap = gap_of(sum, left.size, count);
  const Centre centre = centre_of(all, few, rule, no_number(), row, mask, upstream, length);
  store_gradients(result, rule, top.bad, centre, row, mask, upstream, length);
}
