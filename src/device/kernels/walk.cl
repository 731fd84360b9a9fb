// A walk over the ranks of a row, for the tokens of one tile: after N ranks c_i = x_i . s is the sum over the N largest
// weights of w x_i . x, one fused multiply-add each, in the order of the ranks. The row's weights and ranks are those
// of the tokens; `order` has the token of every rank. A row has at least one point, ascending, each from 1 to its
// length; the last one is the length.
#ifndef ATTNCERT_WALK
#define ATTNCERT_WALK
#include "src/device/kernels/excess.cl"
#include "src/device/kernels/fold.cl"

// Group (r << tile_bits) + tile. sizes: length and points of every row. asked: ASKED numbers a point. A tile behind the
// end of its row answers for one point, and nobody reads it.
#define ASKED 5u
#define WALK                                                                                                       \
  GLOBAL const f64 *RESTRICT products, GLOBAL const f64 *RESTRICT norms, GLOBAL const f64 *RESTRICT row_weights,   \
      GLOBAL const f64 *RESTRICT row_alphas, GLOBAL const u32 *RESTRICT row_ranks,                                 \
      GLOBAL const u32 *RESTRICT row_order, GLOBAL const u32 *RESTRICT sizes, GLOBAL const u32 *RESTRICT row_counts, \
      GLOBAL const f64 *RESTRICT row_asked, GLOBAL f64 *RESTRICT row_answers, u64 products_stride, u64 row_stride, \
      u64 point_stride, u32 tile_bits
#define WALK_ROW                                                                                    \
  const u64 r = group_id() >> tile_bits, tile = group_id() - (r << tile_bits);                      \
  const u32 first = (u32)tile * TILE, length = sizes[2u * r];                                       \
  GLOBAL const f64* weights = row_weights + r * row_stride;                                         \
  GLOBAL const f64* alphas = row_alphas + r * row_stride;                                           \
  GLOBAL const u32* ranks = row_ranks + r * row_stride;                                             \
  GLOBAL const u32* order = row_order + r * row_stride;                                             \
  GLOBAL const u32* counts = row_counts + r * point_stride;                                         \
  GLOBAL const f64* asked = row_asked + r * point_stride * ASKED;                                   \
  GLOBAL f64* answers = row_answers + ((r << tile_bits) + tile) * point_stride * QUANTITIES;        \
  const u32 points = first < length ? sizes[2u * r + 1u] : 1u

DEVICE Width width_at(GLOBAL const f64* asked) {
  Width width;
  width.relative = asked[2], width.slope = asked[3], width.base = asked[4];
  return width;
}

#endif  // ATTNCERT_WALK
