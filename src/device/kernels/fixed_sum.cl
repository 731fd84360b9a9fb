// Sums of a group of numbers of 200 bits.
#ifndef ATTNCERT_FIXED_SUM
#define ATTNCERT_FIXED_SUM
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/row.cl"

// The sum of all threads' parts, which are carried.
DEVICE Fixed group_sum_of(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Fixed part) {
  Fixed sum;
  sum.digit[0] = (i64)group_sum(all, few, (u64)part.digit[0]);
  sum.digit[1] = (i64)group_sum(all, few, (u64)part.digit[1]);
  sum.digit[2] = (i64)group_sum(all, few, (u64)part.digit[2]);
  sum.digit[3] = (i64)group_sum(all, few, (u64)part.digit[3]);
  sum.digit[4] = (i64)group_sum(all, few, (u64)part.digit[4]);
  return carried(sum);
}

#endif  // ATTNCERT_FIXED_SUM
