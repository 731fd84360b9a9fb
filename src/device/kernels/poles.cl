// The sums of the secular equation at x: of w / (x - w) and of its squares, over the weights w < x of a row
// (src/bounds/secular_sums.hpp).
#define SUMS 2u
#define QUANTITIES 2u
#include "src/device/kernels/fold.cl"

// Group (n << tile_bits) + tile: row active[n], of length sizes[active[n]], at at[n].
KERNEL(THREADS)
poles(GLOBAL const f64* RESTRICT row_weights, GLOBAL const u32* RESTRICT sizes, GLOBAL const u32* RESTRICT active,
      GLOBAL const f64* RESTRICT at, GLOBAL f64* RESTRICT answers, u64 row_stride, u32 tile_bits) {
  FOLDED;
  const u64 n = group_id() >> tile_bits, tile = group_id() - (n << tile_bits), r = active[n];
  GLOBAL const f64* weights = row_weights + r * row_stride;
  for (u32 j = 0; j < EACH; ++j) {
    const u32 place = place_of(j), i = (u32)tile * TILE + place;
    f64 term = 0.0;
    if (i < sizes[r]) term = quotient(weights[i], at[n] - weights[i]);
    all[place] = term, all[TILE + place] = term * term;
  }
  fold(all, few, answers + group_id() * QUANTITIES);
}
