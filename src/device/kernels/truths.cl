// What softmax's weights of a row are, 2^512 times themselves, each as a pair with the error that
// docs/double-double.md, 8 proves: exp((z_i - pivot) c) over the sum of all, c = 1 / T or what ssmax has in its place.
// A group has a row.
// A logit of -infinity takes no part, and its weight is NaN.
#include "src/device/kernels/double_double.cl"
#include "src/device/kernels/tile.cl"

#define PARTS 16u
#define PART 16u

// All lanes' numbers, all[lane], and the largest of them: parts of neighbours first.
DEVICE f64 largest_of_lanes(LOCAL_PTR f64* all, LOCAL_PTR f64* few) {
  group_barrier();
  for (u32 j = thread_id(); j < PARTS; j += THREADS) {
    f64 part = all[j * PART];
    for (u32 k = 1; k < PART; ++k) part = all[j * PART + k] > part ? all[j * PART + k] : part;
    few[j] = part;
  }
  group_barrier();
  f64 whole = few[0];
  for (u32 k = 1; k < PARTS; ++k) whole = few[k] > whole ? few[k] : whole;
  return whole;
}

// All lanes' pairs, all[lane] and all[TILE + lane], and their sum: sixteen neighbours each in their order, then these.
DEVICE Pair sum_of_lanes(LOCAL_PTR f64* all, LOCAL_PTR f64* few) {
  group_barrier();
  for (u32 j = thread_id(); j < PARTS; j += THREADS) {
    Pair part = pair_of(all[j * PART], all[TILE + j * PART]);
    for (u32 k = 1; k < PART; ++k) part = pair_sum(part, pair_of(all[j * PART + k], all[TILE + j * PART + k]));
    few[j] = part.high, few[PARTS + j] = part.low;
  }
  group_barrier();
  Pair whole = pair_of(few[0], few[PARTS]);
  for (u32 k = 1; k < PARTS; ++k) whole = pair_sum(whole, pair_of(few[k], few[PARTS + k]));
  return whole;
}

// Of each row where it begins, its length, and 1 where a logit of 0 more takes part (softmax1), which has no place.
#define PLACES 3u

KERNEL(THREADS)
truths(GLOBAL const float* RESTRICT all_logits, GLOBAL const u64* RESTRICT places, GLOBAL const f64* RESTRICT factors,
       GLOBAL const f64* RESTRICT powers, GLOBAL f64* RESTRICT all_high, GLOBAL f64* RESTRICT all_low) {
  LOCAL f64 all[2u * TILE], few[2u * PARTS];
  const u64 r = group_id(), first = places[PLACES * r], length = places[PLACES * r + 1u];
  const bool and_zero = places[PLACES * r + 2u] != 0u;
  GLOBAL const float* logits = all_logits + first;
  const Pair factor = pair_of(factors[2u * r], factors[2u * r + 1u]);
  const f64 side = factor.high < 0.0 ? -1.0 : 1.0;  // no exponent is above that of the pivot
  for (u32 j = 0; j < EACH; ++j) {
    f64 most = and_zero ? 0.0 : (f64)MINUS_INFINITY;
    for (u64 i = place_of(j); i < length; i += TILE) {
      const f64 z = side * (f64)logits[i];
      if (logits[i] != MINUS_INFINITY && z > most) most = z;
    }
    all[place_of(j)] = most;
  }
  const f64 pivot = side * largest_of_lanes(all, few) + 0.0;  // 0 for -0
  for (u32 j = 0; j < EACH; ++j) {
    const u32 lane = place_of(j);
    Pair sum = pair_of(0.0, 0.0);
    if (and_zero && lane == 0u) sum = exponential_of(powers, argument_of(0.0, pivot, factor));
    for (u64 i = lane; i < length; i += TILE)
      if (logits[i] != MINUS_INFINITY)
        sum = pair_sum(sum, exponential_of(powers, argument_of((f64)logits[i], pivot, factor)));
    all[lane] = sum.high, all[TILE + lane] = sum.low;
  }
  const Pair whole = sum_of_lanes(all, few), inverse = inverse_of(pair_of(whole.high * 0x1p-512, whole.low * 0x1p-512));
  for (u32 j = 0; j < EACH; ++j)
    for (u64 i = place_of(j); i < length; i += TILE) {
      const Pair e = exponential_of(powers, argument_of((f64)logits[i], pivot, factor));
      const Pair product = pair_product(e, inverse), weight = fast_two_sum(product.high, product.low);
      const bool absent = logits[i] == MINUS_INFINITY;
      all_high[first + i] = absent ? f64_of(0x7ff8000000000000ul) : weight.high;
      all_low[first + i] = absent ? 0.0 : weight.low;
    }
}
