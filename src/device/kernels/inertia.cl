// The sums by which the eigenvalues of a separable Jacobian above x are counted (src/bounds/inertia_sums.hpp), over the
// tokens of a row but the one of the largest slope: with d = g^2, tau = d / (x - d), s = 1 + tau and e = w - c they are
// of tau, w s, w^2 s, tau e, tau |e| and tau e^2.
#define SUMS 6u
#define QUANTITIES 6u
#include "src/device/kernels/fold.cl"

// Group (n << tile_bits) + tile: row active[n], of length sizes[active[n]], with c = shifts[active[n]], at x = at[n].
KERNEL(THREADS)
inertia(GLOBAL const f64* RESTRICT row_weights, GLOBAL const f64* RESTRICT row_squares,
        GLOBAL const f64* RESTRICT shifts, GLOBAL const u32* RESTRICT sizes, GLOBAL const u32* RESTRICT active,
        GLOBAL const f64* RESTRICT at, GLOBAL f64* RESTRICT answers, u64 row_stride, u32 tile_bits) {
  FOLDED;
  const u64 n = group_id() >> tile_bits, tile = group_id() - (n << tile_bits), r = active[n];
  GLOBAL const f64* weights = row_weights + r * row_stride;
  GLOBAL const f64* squares = row_squares + r * row_stride;
  for (u32 j = 0; j < EACH; ++j) {
    const u32 place = place_of(j), i = (u32)tile * TILE + place;
    f64 tau = 0.0, lifted = 0.0, weight = 0.0, apart = 0.0;
    if (i < sizes[r]) {
      weight = weights[i], apart = weight - shifts[r];
      tau = quotient(squares[i], at[n] - squares[i]);
      lifted = weight * (1.0 + tau);
    }
    const f64 moved = tau * apart;
    all[place] = tau, all[TILE + place] = lifted, all[2u * TILE + place] = weight * lifted;
    all[3u * TILE + place] = moved, all[4u * TILE + place] = moved < 0.0 ? -moved : moved;
    all[5u * TILE + place] = moved * apart;
  }
  fold(all, few, answers + group_id() * QUANTITIES);
}
