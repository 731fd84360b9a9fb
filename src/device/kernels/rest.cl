// Over the unselected tokens of a row, after each N: the sums of ||a_i x_i - s|| and of its reciprocal, the largest
// squared distance to a selected token, and where the smallest e_i lies. asked: S = ||s||^2, what S + e is raised to,
// and the width of e.
#define SUMS 2u
#define QUANTITIES 5u
#include "src/device/kernels/excess.cl"
#include "src/device/kernels/fold.cl"

DEVICE void answer_of(LOCAL_PTR f64* numbers, GLOBAL const f64* with, Token token) {
  Root f;
  f.root = 0.0, f.inverse = 0.0;
  if (token.unselected) f = root_of(larger64(with[0] + token.excess, with[1]));
  numbers[0] = f.root, numbers[TILE] = f.inverse;
  numbers[2u * TILE] = token.unselected ? token.farthest : 0.0;
  numbers[3u * TILE] = token.unselected ? token.excess - token.width : LARGEST;
  numbers[4u * TILE] = token.unselected ? token.excess + token.width : LARGEST;
}
#include "src/device/kernels/walk.cl"

KERNEL(THREADS)
rest(WALK, GLOBAL f64* RESTRICT row_products) {
  FOLDED;
  WALK_ROW;
  Token tokens[EACH];
  walk_over(all, few, row, tokens);
  for (u32 j = 0; j < EACH; ++j) {
    const u32 i = row.first + place_of(j);
    if (i < row.length) row_products[r * row_stride + i] = tokens[j].c;
  }
}
