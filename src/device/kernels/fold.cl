// Sums of f64 whose order no shape changes: of the numbers of a tile, sixteen parts of sixteen neighbours are added in
// their order, then the parts in theirs; the host adds the tiles. The first SUMS quantities are sums; of the next one
// the largest is asked for, of those behind it the smallest.
#ifndef ATTNCERT_FOLD
#define ATTNCERT_FOLD
#include "src/device/kernels/tile.cl"

#define PARTS 16u
#define PART 16u
#define FOLDED LOCAL f64 all[QUANTITIES * TILE], few[QUANTITIES * PARTS]

DEVICE f64 joined(u32 quantity, f64 a, f64 b) {
  if (quantity < SUMS) return a + b;
  return (quantity == SUMS) == (a > b) ? a : b;
}

// all[quantity TILE + place] of every thread's places, folded into result[quantity].
DEVICE void fold(LOCAL_PTR f64* all, LOCAL_PTR f64* few, GLOBAL f64* result) {
  group_barrier();
  for (u32 j = thread_id(); j < QUANTITIES * PARTS; j += THREADS) {
    f64 part = all[j * PART];
    for (u32 k = 1; k < PART; ++k) part = joined(j >> 4, part, all[j * PART + k]);
    few[j] = part;
  }
  group_barrier();
  const u32 quantity = thread_id();
  if (quantity < QUANTITIES) {
    f64 whole = few[quantity * PARTS];
    for (u32 k = 1; k < PARTS; ++k) whole = joined(quantity, whole, few[quantity * PARTS + k]);
    result[quantity] = whole;
  }
}

#endif  // ATTNCERT_FOLD
