// sigma and its slope, of an argument between -1 and 1 times the centre, 128 where a kernel names no other.
#ifndef ATTNCERT_SIGMA
#define ATTNCERT_SIGMA
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/number.cl"

#ifndef LOG2_CENTRE
#define LOG2_CENTRE 7
#endif
#define CENTRE ((u64)1 << (53 + LOG2_CENTRE))  // in units of 2^-53

// exp(-|centre - depth|), depth in units of 2^-53.
DEVICE Number decay_at(u64 depth) { return decay_of(depth > CENTRE ? depth - CENTRE : CENTRE - depth); }
// sigma(centre - depth): with e = exp(-|that|), 1 / (1 + e) or e / (1 + e).
DEVICE Number sigma_of(u64 depth) {
  const Number e = decay_at(depth);
  const Number part = inverse_number(one_more(e));
  return depth > CENTRE ? product_of(e, part) : part;
}
// sigma' there: e / (1 + e)^2.
DEVICE Number slope_of_sigma(u64 depth) {
  const Number e = decay_at(depth);
  const Number part = inverse_number(one_more(e));
  return product_of(product_of(e, part), part);
}

#endif  // ATTNCERT_SIGMA
