// x . s of every token at the moment it is selected, s of the ranks before it: what ||s||^2 grows by. The sum runs in
// the order of the ranks, one fused multiply-add each; order: the token of every rank.
#include "src/device/kernels/tile.cl"

// Group (r << tile_bits) + tile.
KERNEL(THREADS)
own_products(GLOBAL const f64* RESTRICT products, GLOBAL const f64* RESTRICT row_weights,
             GLOBAL const u32* RESTRICT row_order, GLOBAL const u32* RESTRICT sizes, GLOBAL f64* RESTRICT row_own,
             u64 products_stride, u64 row_stride, u32 tile_bits) {
  const u64 r = group_id() >> tile_bits, tile = group_id() - (r << tile_bits);
  GLOBAL const f64* weights = row_weights + r * row_stride;
  GLOBAL const u32* order = row_order + r * row_stride;
  for (u32 j = 0; j < EACH; ++j) {
    const u32 rank = (u32)tile * TILE + place_of(j);
    if (rank < sizes[2u * r]) {
      f64 c = 0.0;
      for (u32 k = 0; k < rank; ++k)
        c = fused64(weights[order[k]], products[(u64)order[k] * products_stride + order[rank]], c);
      row_own[r * row_stride + rank] = c;
    }
  }
}
