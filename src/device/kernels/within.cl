// How many selected tokens are surely, and possibly, no farther from s than the closest unselected one, whose e lies in
// a known range. asked: the range, and the width of e. Counts are f64: exact.
#define SUMS 2u
#define QUANTITIES 2u
#include "src/device/kernels/walk.cl"

KERNEL(THREADS)
within(WALK) {
  FOLDED;
  WALK_ROW;
  f64 c[EACH];
  for (u32 j = 0; j < EACH; ++j) c[j] = 0.0;
  u32 done = 0, point = 0;
  do {
    const u32 N = counts[point];
    GLOBAL const f64* with = asked + point * ASKED;
    for (u32 j = 0; j < EACH; ++j) {
      const u32 place = place_of(j), i = first + place;
      bool surely = false, possibly = false;
      if (i < length) {
        for (u32 k = done; k < N; ++k)
          c[j] = fused64(weights[order[k]], products[(u64)order[k] * products_stride + i], c[j]);
        const f64 e = excess_of(weights[i], norms[i], c[j]), width = width_of(width_at(with), alphas[i]);
        surely = ranks[i] < N && e + width <= with[0];
        possibly = ranks[i] < N && e - width <= with[1];
      }
      all[place] = surely ? 1.0 : 0.0, all[TILE + place] = possibly ? 1.0 : 0.0;
    }
    done = N;
    fold(all, few, answers + point * QUANTITIES);
    ++point;
  } while (point < points);
}
