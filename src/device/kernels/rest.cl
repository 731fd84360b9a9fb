// Over the unselected tokens of a row, after each N: the sums of ||a_i x_i - s|| and of its reciprocal, the largest
// squared distance to a selected token, and where the smallest e_i lies. asked: S = ||s||^2, what S + e is raised to,
// and the width of e.
#define SUMS 2u
#define QUANTITIES 5u
#include "src/device/kernels/walk.cl"

KERNEL(THREADS)
rest(WALK, GLOBAL f64* RESTRICT row_products) {
  FOLDED;
  WALK_ROW;
  f64 c[EACH], farthest[EACH];
  for (u32 j = 0; j < EACH; ++j) c[j] = 0.0, farthest[j] = 0.0;
  u32 done = 0, point = 0;
  do {
    const u32 N = counts[point];
    GLOBAL const f64* with = asked + point * ASKED;
    for (u32 j = 0; j < EACH; ++j) {
      const u32 place = place_of(j), i = first + place;
      f64 root = 0.0, inverse = 0.0, reach = 0.0, least = LARGEST, most = LARGEST;
      if (i < length) {
        for (u32 k = done; k < N; ++k) {
          const u64 token = order[k];
          const f64 product = products[token * products_stride + i];
          c[j] = fused64(weights[token], product, c[j]);
          farthest[j] = larger64(farthest[j], apart_of(norms[i], norms[token], product));
        }
        if (ranks[i] >= N) {
          const f64 e = excess_of(weights[i], norms[i], c[j]), width = width_of(width_at(with), alphas[i]);
          const Root f = root_of(larger64(with[0] + e, with[1]));
          root = f.root, inverse = f.inverse, reach = farthest[j], least = e - width, most = e + width;
        }
      }
      all[place] = root, all[TILE + place] = inverse, all[2u * TILE + place] = reach;
      all[3u * TILE + place] = least, all[4u * TILE + place] = most;
    }
    done = N;
    fold(all, few, answers + point * QUANTITIES);
    ++point;
  } while (point < points);
  for (u32 j = 0; j < EACH; ++j) {
    const u32 i = first + place_of(j);
    if (i < length) row_products[r * row_stride + i] = c[j];
  }
}
