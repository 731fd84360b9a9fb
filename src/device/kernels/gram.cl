// Inner products of all pairs of tokens: x_i . x_j, and for every i its ||x_i||^2 and the smallest and the largest
// ||x_i - x_j||^2 over j < i, from differences. A sum over the components runs in their order, one fused multiply-add
// each.
#include "src/device/kernels/excess.cl"

// columns: component k of token j at columns[k stride + j]. Group i has token i.
KERNEL(THREADS)
gram(GLOBAL const f64* RESTRICT columns, GLOBAL f64* RESTRICT products, GLOBAL f64* RESTRICT facts, u64 count,
     u64 stride, u64 dimension) {
  LOCAL f64 closest[THREADS], farthest[THREADS];
  const u64 i = group_id();
  f64 least = LARGEST, most = 0.0;
  for (u64 j = thread_id(); j < count; j += THREADS) {
    f64 product = 0.0, apart = 0.0;
    for (u64 k = 0; k < dimension; ++k) {
      const f64 x = columns[k * stride + i], y = columns[k * stride + j], difference = x - y;
      product = fused64(x, y, product);
      apart = fused64(difference, difference, apart);
    }
    products[i * stride + j] = product;
    if (j == i) facts[3u * i] = product;
    if (j < i) least = apart > least ? least : apart, most = larger64(most, apart);
  }
  closest[thread_id()] = least;
  farthest[thread_id()] = most;
  group_barrier();
  if (thread_id() == 0u) {
    for (u32 t = 1; t < THREADS; ++t) {
      least = closest[t] > least ? least : closest[t];
      most = larger64(most, farthest[t]);
    }
    facts[3u * i + 1u] = least;
    facts[3u * i + 2u] = most;
  }
}
