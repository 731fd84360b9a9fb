// Sums of a group of the numbers of fixed.cl.
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
#if DIGITS > 5  // of 9; barriers stand in no loop
  sum.digit[5] = (i64)group_sum(all, few, (u64)part.digit[5]);
  sum.digit[6] = (i64)group_sum(all, few, (u64)part.digit[6]);
  sum.digit[7] = (i64)group_sum(all, few, (u64)part.digit[7]);
  sum.digit[8] = (i64)group_sum(all, few, (u64)part.digit[8]);
#endif
  return carried(sum);
}

#endif  // ATTNCERT_FIXED_SUM
