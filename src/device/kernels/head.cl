// Sums over the weights of a row beside a largest one, w_1: of q = w / w_1, q^2 and q ln(1/q)
// (src/bounds/head_statistics.cpp). Weights are >= 0, w_1 from 1/2 to 1.
#define SUMS 3u
#define QUANTITIES 3u
#include "src/device/kernels/fold.cl"

// Group (r << tile_bits) + tile. sizes: length of a row, and the place of w_1.
KERNEL(THREADS)
head(GLOBAL const f64* RESTRICT row_weights, GLOBAL const u32* RESTRICT sizes, GLOBAL f64* RESTRICT answers,
     u64 row_stride, u32 tile_bits) {
  FOLDED;
  const u64 r = group_id() >> tile_bits, tile = group_id() - (r << tile_bits);
  GLOBAL const f64* weights = row_weights + r * row_stride;
  for (u32 j = 0; j < EACH; ++j) {
    const u32 place = place_of(j), i = (u32)tile * TILE + place, largest = sizes[2u * r + 1u];
    f64 q = 0.0;
    if (i < sizes[2u * r] && i != largest) q = quotient(weights[i], weights[largest]);
    all[place] = q, all[TILE + place] = q * q, all[2u * TILE + place] = q * log_of_reciprocal(q);
  }
  fold(all, few, answers + group_id() * QUANTITIES);
}
