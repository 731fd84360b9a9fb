// sigma of an argument between -128 and 128.
#ifndef ATTNCERT_SIGMA
#define ATTNCERT_SIGMA
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/number.cl"

#define CENTRE ((u64)1 << 60)  // 128 in units of 2^-53

// sigma(128 - depth), depth in units of 2^-53: with e = exp(-|that|), 1 / (1 + e) or e / (1 + e).
DEVICE Number sigma_of(u64 depth) {
  const Number e = decay_of(depth > CENTRE ? depth - CENTRE : CENTRE - depth);
  const Number part = inverse_number(one_more(e));
  return depth > CENTRE ? product_of(e, part) : part;
}

#endif  // ATTNCERT_SIGMA
