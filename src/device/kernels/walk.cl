// A walk over the ranks of a row, for the tokens of one tile: after N ranks c_i = x_i . s is the sum over the N largest
// weights of w x_i . x, one fused multiply-add each, in the order of the ranks. The row's weights and ranks are those
// of the tokens; `order` has the token of every rank. A row has at least one point, ascending, each from 1 to its
// length; the last one is the length. A kernel defines SUMS, QUANTITIES and answer_of, which puts its numbers of a
// token after N ranks at numbers[quantity TILE]; `with` is what is asked there.
#ifndef ATTNCERT_WALK
#define ATTNCERT_WALK
#include "src/device/kernels/excess.cl"
#include "src/device/kernels/fold.cl"

// Group (r << tile_bits) + tile. sizes: length and points of every row. asked: ASKED numbers a point, the last three of
// them the width of e. A tile behind the end of its row answers for one point, and nobody reads it.
#define ASKED 5u
#define WALK                                                                                                       \
  GLOBAL const f64 *RESTRICT products, GLOBAL const f64 *RESTRICT norms, GLOBAL const f64 *RESTRICT row_weights,   \
      GLOBAL const f64 *RESTRICT row_alphas, GLOBAL const u32 *RESTRICT row_ranks,                                 \
      GLOBAL const u32 *RESTRICT row_order, GLOBAL const u32 *RESTRICT sizes, GLOBAL const u32 *RESTRICT row_counts, \
      GLOBAL const f64 *RESTRICT row_asked, GLOBAL f64 *RESTRICT row_answers, u64 products_stride, u64 row_stride, \
      u64 point_stride, u32 tile_bits
typedef struct {
  GLOBAL const f64 *products, *norms, *weights, *alphas, *asked;
  GLOBAL const u32 *ranks, *order, *counts;
  GLOBAL f64* answers;
  u64 stride;
  u32 first, length, points;
} Row;
#define WALK_ROW                                                                        \
  const u64 r = group_id() >> tile_bits, tile = group_id() - (r << tile_bits);          \
  Row row;                                                                              \
  row.products = products, row.norms = norms, row.stride = products_stride;             \
  row.weights = row_weights + r * row_stride, row.alphas = row_alphas + r * row_stride; \
  row.ranks = row_ranks + r * row_stride, row.order = row_order + r * row_stride;       \
  row.counts = row_counts + r * point_stride;                                           \
  row.asked = row_asked + r * point_stride * ASKED;                                     \
  row.answers = row_answers + ((r << tile_bits) + tile) * point_stride * QUANTITIES;    \
  row.first = (u32)tile * TILE, row.length = sizes[2u * r];                             \
  row.points = row.first < row.length ? sizes[2u * r + 1u] : 1u

// Number i from `done` ranks to N.
DEVICE Token brought_to(Token token, Row row, u32 i, u32 done, u32 N) {
  for (u32 k = done; k < N; ++k) {
    const u64 other = row.order[k];
    const f64 product = row.products[other * row.stride + i];
    token.c = fused64(row.weights[other], product, token.c);
    token.farthest = larger64(token.farthest, apart_of(row.norms[i], row.norms[other], product));
  }
  token.selected = row.ranks[i] < N, token.unselected = !token.selected;
  token.excess = excess_of(row.weights[i], row.norms[i], token.c);
  return token;
}
// Answers for every point; tokens: those of a thread, as they are at the end.
DEVICE void walk_over(LOCAL_PTR f64* all, LOCAL_PTR f64* few, Row row, Token* tokens) {
  for (u32 j = 0; j < EACH; ++j) tokens[j] = token_before();
  u32 done = 0, point = 0;
  do {
    const u32 N = row.counts[point];
    GLOBAL const f64* with = row.asked + point * ASKED;
    Width width;
    width.relative = with[2], width.slope = with[3], width.base = with[4];
    for (u32 j = 0; j < EACH; ++j) {
      const u32 i = row.first + place_of(j);
      if (i < row.length) {
        tokens[j] = brought_to(tokens[j], row, i, done, N);
        tokens[j].width = width_of(width, row.alphas[i]);
      }
      answer_of(all + place_of(j), with, tokens[j]);
    }
    done = N;
    fold(all, few, row.answers + point * QUANTITIES);
    ++point;
  } while (point < row.points);
}

#endif  // ATTNCERT_WALK
