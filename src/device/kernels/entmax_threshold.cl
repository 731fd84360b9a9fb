// The threshold of alpha-entmax, w_i = max((alpha - 1) (z_i - r) / T + gap, 0), p = w^b, b = 1 / (alpha - 1): r is the
// lowest logit that has weight, gap how far it is above the threshold. A logit r has weight where the powers of what is
// above it leave more than 2^-156 of 1. Powers have 192 bits (power.cl), their sums are integers in units of 2^-190.
#ifndef ATTNCERT_ENTMAX_THRESHOLD
#define ATTNCERT_ENTMAX_THRESHOLD
#include "src/device/kernels/candidates.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed_sum.cl"
#include "src/device/kernels/power.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"

// Of a call: (alpha - 1) / T and b; power.cl's series; b T, rounded up; how many bits a step of the gap may leave.
typedef struct {
  Long rate, exponent;
  u64 series[3 * SERIES];
  float reach;
  u32 bits;
} Entmax;

typedef struct {
  LOCAL_PTR const u64* series;
  Long rate, exponent;
} Law;

// z - r, z >= r.
DEVICE Long distance_between(float z, float r) {
  const Long a = long_of_number(size_of(z)), b = long_of_number(size_of(r));
  if ((z < 0.0f) != (r < 0.0f)) return long_sum(a, b);
  return z < 0.0f ? long_difference(b, a) : long_difference(a, b);
}
APART Long height_of(Law law, float z, float r, Long gap) {
  return long_sum(long_product(law.rate, distance_between(z, r)), gap);
}
APART Long weight_of_height(Law law, Long height) {
  const Long y = long_product(law.exponent, minus_log2(law.series, height));
  return height.words.high == 0u || y.power + 192 > 20 ? no_long() : exp2_of(law.series, y, true);
}
APART Fixed placed_long(Long a) {
  if (a.power < -1000) return fixed_zero();
  const int at = (int)a.power + FRACTION;
  return sum_of(sum_of(placed(a.words.high, at + 128), placed(a.words.middle, at + 64)), placed(a.words.low, at));
}

// Of a thread's logits: the sum of the powers of those from r on, and of those times gap / w; the lowest above r and
// the highest below.
typedef struct {
  Fixed powers, slopes;
  float above, below;
} Powers;
DEVICE Powers powers_from(Law law, float r, Long gap, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length,
                          Top top, Stretch mine) {
  Powers sums;
  sums.powers = fixed_zero(), sums.slopes = fixed_zero();
  sums.above = PLUS_INFINITY, sums.below = MINUS_INFINITY;
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= r) {
        const Long height = height_of(law, z, r, gap), power = weight_of_height(law, height);
        sums.powers = sum_of(sums.powers, placed_long(power));
        if (gap.words.high != 0u) {
          const Number share = product_of(number_of_long(gap), inverse_number(number_of_long(height)));
          const Number slope = product_of(number_of_long(power), share);
          sums.slopes = sum_of(sums.slopes, placed(slope.bits, slope.power + FRACTION));
        }
      }
      if (z > r) sums.above = z < sums.above ? z : sums.above;
      if (z >= top.bar && z < r) sums.below = larger(z, sums.below);
    }
  sums.powers = carried(sums.powers), sums.slopes = carried(sums.slopes);
  return sums;
}
DEVICE Signed above_one(Fixed powers) {
  Signed rest = leading_signed(difference_of(powers, placed((u64)1, FRACTION)));
  rest.size.power -= FRACTION;
  return rest;
}

// The key of the lowest candidate of a thread that is not below `from`, with its sign turned.
DEVICE u32 key_of_lowest_from(float from, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, Top top,
                              Stretch mine) {
  float lowest = PLUS_INFINITY;
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= top.bar && z >= from && z < lowest) lowest = z;
    }
  return key_of(-lowest, false);
}

// r, and what the powers above it leave of 1.
typedef struct {
  float lowest;
  Number rest;
} Support;
// Of the logits from low to high it is not known yet: the lowest is asked about, then the one in the middle.
DEVICE Support support_of(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Law law, GLOBAL const Element* row,
                          GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  Support support;
  support.lowest = top.logit, support.rest = number_from(1u, 0);
  float low = MINUS_INFINITY, high = top.logit, from = MINUS_INFINITY;
  bool first = true;
  do {
    const float r = -float_of_key(group_max(all, few, key_of_lowest_from(from, row, mask, length, top, mine)));
    if (first) low = r, first = false;
    const Powers part = powers_from(law, r, no_long(), row, mask, length, top, mine);
    const Signed more = above_one(group_sum_of(all, few, part.powers));
    const float above = -float_of_key(group_max(all, few, key_of(-part.above, false)));
    const float below = float_of_key(group_max(all, few, key_of(part.below, false)));
    const bool inside = more.negative && more.size.power + 63 >= -156;
    if (inside) support.lowest = r, support.rest = more.size, high = below;
    if (!inside) low = above;
    from = larger(low, -larger(-0.5f * low - 0.5f * high, -high));  // halves of subnormal numbers are rounded
  } while (low <= high);
  return support;
}

// log2(n), within 2^-7.
DEVICE float log2_of_number(Number n) {
  const float m = (float)(u32)(n.bits >> 40) * 0x1p-23f - 1.0f;
  return (float)(n.power + 63) + m * fused(-0x1.604p-2f, m, 0x1.58p0f);
}
// gap 2^-t, the power within 2^-8.
DEVICE Long lowered(Long gap, float t) {
  const float most = 0x1p29f, within = larger(-most, -larger(-most, -t));
  const int below = (int)within - (within < 0.0f ? 1 : 0);
  const float part = within - (float)below;
  Long lower = long_product(gap, long_of_number(size_of(fused(fused(0x1.6p-3f, part, -0x1.58p-1f), part, 1.0f))));
  lower.power -= (i64)below;
  return lower;
}
// What the gap becomes by a step, and whether that is the last.
typedef struct {
  Long gap;
  bool last;
} Step;
// With F the sum of the powers less 1, D = F + rest the part of it that is the gap's, and s D' = b (the sum of slopes):
// Newton's step on D, or, where that is far, on log D by log gap, in which D is nearly straight.
APART Step step_of(Law law, u32 bits, Long gap, Number rest, Signed more, Number slopes) {
  Signed own, less_rest;
  less_rest.size = rest, less_rest.negative = true;
  own = difference_signed(more, less_rest);
  const Number least = number_from(1u, -200);
  const Number D = own.negative || own.size.bits == 0u ? least : own.size;
  const Number slope = product_of(number_of_long(law.exponent), slopes.bits == 0u ? least : slopes);
  const Number inverse = inverse_number(slope), relative = product_of(more.size, inverse);
  Step step;
  step.last = more.size.bits == 0u || relative.power + 64 <= -(int)bits;
  if (more.size.bits == 0u) {
    step.gap = gap;
  } else if (relative.power + 64 <= -4) {
    const Long change = long_product(gap, long_of_number(relative));
    step.gap = more.negative ? long_sum(gap, change) : long_difference(gap, change);
  } else {
    const Number share = product_of(more.size, inverse_number(D));
    float log = 0x1.715476p0f * float_of_number(share);
    if (more.negative) log = -log;
    if (share.power + 64 > -3) log = log2_of_number(D) - log2_of_number(rest);
    step.gap = lowered(gap, log * float_of_number(product_of(D, inverse)));
  }
  return step;
}
// Steps of Newton's until the gap is found bit by bit: eight were the most seen. log2 of a gap is from -2^28 to 0
// (docs/budgets.md): so many bits, highest first, and then those of its significand, 27 more than a last step leaves.
#define NEWTON_STEPS 32u
#define EXPONENT_BITS 28u
#define SIGNIFICAND_BITS 27u
DEVICE Long with_bit_turned(Long gap, u32 k, bool up) {
  const u32 at = k - EXPONENT_BITS;
  const i64 change = k < EXPONENT_BITS ? ((i64)2 << (EXPONENT_BITS - 1u - k)) >> 1 : 0;
  gap.power += up ? change : -change;
  if (k >= EXPONENT_BITS && at < 63u) gap.words.high ^= (u64)1 << (62u - at);
  if (k >= EXPONENT_BITS && at >= 63u) gap.words.middle ^= (u64)1 << ((126u - at) & 63u);
  return gap;
}
// The gap with bits up to number k - 1, as sums with it are above 1 or not, and the next one to ask about.
APART Step next_bit(Long gap, u32 bits, bool above, u32 k) {
  Step step;
  step.gap = k == 0u ? long_of_words(words_of(0u, 0u, 1u), -((i64)1 << EXPONENT_BITS)) : gap;
  if (k > 0u && above) step.gap = with_bit_turned(step.gap, k - 1u, false);
  step.last = k == EXPONENT_BITS + SIGNIFICAND_BITS + bits;
  if (!step.last) step.gap = with_bit_turned(step.gap, k, true);
  return step;
}
DEVICE Long gap_of(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Law law, u32 bits, Support support,
                   GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  const Long one = long_of_words(words_of(0u, 0u, 1u), 0), none = no_long();
  Step step;
  step.gap = long_product(law.rate, distance_between(top.logit, support.lowest));
  step.gap = step.gap.words.high == 0u || step.gap.power <= -192 ? long_difference(one, step.gap) : none;
  if (step.gap.words.high == 0u) step.gap = long_of_words(words_of(0u, 0u, 1u), -192);
  u32 steps = 0u;
  do {
    const Powers part = powers_from(law, support.lowest, step.gap, row, mask, length, top, mine);
    const Signed more = above_one(group_sum_of(all, few, part.powers));
    Number slopes = leading_of(group_sum_of(all, few, part.slopes));
    slopes.power -= FRACTION;
    const bool above = !more.negative && more.size.bits > 0u;
    if (steps < NEWTON_STEPS) step = step_of(law, bits, step.gap, support.rest, more, slopes);
    else step = next_bit(step.gap, bits, above, steps - NEWTON_STEPS);
    steps += 1u;
  } while (!step.last && support.lowest <= top.logit);
  return step.gap;
}

#endif  // ATTNCERT_ENTMAX_THRESHOLD
