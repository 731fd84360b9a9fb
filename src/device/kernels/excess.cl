// What the curves over N are made of, for one token: c = x . s, e = ||a x - s||^2 - ||s||^2 (src/bounds/rank_pass.hpp).
#ifndef ATTNCERT_EXCESS
#define ATTNCERT_EXCESS
#include "src/device/kernels/f64.cl"

#define LARGEST 0x1.fffffffffffffp1023

DEVICE f64 larger64(f64 a, f64 b) { return a > b ? a : b; }

DEVICE f64 excess_of(f64 weight, f64 squared_norm, f64 c) { return weight * fused64(-2.0, c, weight * squared_norm); }

// ||x - y||^2
DEVICE f64 apart_of(f64 x_squared, f64 y_squared, f64 product) { return fused64(-2.0, product, x_squared) + y_squared; }

// What e may be off by (src/bounds/separability_pass.hpp).
typedef struct {
  f64 relative, slope, base;
} Width;
DEVICE f64 width_of(Width width, f64 alpha) {
  return fused64(alpha, fused64(alpha, width.relative, width.slope), width.base);
}

// A token on its way over the ranks: c, the largest squared distance to a selected token, e and what it may be off by.
// One behind the end of its row is neither selected nor unselected.
typedef struct {
  f64 c, farthest, excess, width;
  bool selected, unselected;
} Token;
DEVICE Token token_before(void) {
  Token token;
  token.c = 0.0, token.farthest = 0.0, token.excess = 0.0, token.width = 0.0;
  token.selected = false, token.unselected = false;
  return token;
}

#endif  // ATTNCERT_EXCESS
