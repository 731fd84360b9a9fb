// How many selected tokens are surely, and possibly, no farther from s than the closest unselected one, whose e lies in
// a known range. asked: the range, and the width of e. Counts are f64: exact.
#define SUMS 2u
#define QUANTITIES 2u
#include "src/device/kernels/excess.cl"
#include "src/device/kernels/fold.cl"

DEVICE void answer_of(LOCAL_PTR f64* numbers, GLOBAL const f64* with, Token token) {
  numbers[0] = token.selected && token.excess + token.width <= with[0] ? 1.0 : 0.0;
  numbers[TILE] = token.selected && token.excess - token.width <= with[1] ? 1.0 : 0.0;
}
#include "src/device/kernels/walk.cl"

KERNEL(THREADS)
within(WALK) {
  FOLDED;
  WALK_ROW;
  Token tokens[EACH];
  walk_over(all, few, row, tokens);
}
