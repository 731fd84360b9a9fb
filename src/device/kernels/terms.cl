// Rows of weights that are shares of a sum of terms. A kernel defines `Rule`, what a row's terms are made of, and two
// functions of it: term_of, the Number of a logit that goes into the sum, at most 1, and share_of_term, the weight.
#ifndef ATTNCERT_TERMS
#define ATTNCERT_TERMS
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed_sum.cl"
#include "src/device/kernels/row.cl"

// 1 / the sum of the row's terms, each cut off to units of 2^-176.
DEVICE Number inverse_of_terms(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Rule rule, GLOBAL const Element* row,
                               GLOBAL const uchar* mask, u32 length) {
  Fixed part = fixed_zero();
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const Number term = term_of(rule, logit_at(row, mask, i));
    part = sum_of(part, placed(term.bits, term.power + FRACTION));
  }
  Number sum = leading_of(group_sum_of(all, few, carried(part)));
  sum.power -= FRACTION;
  return inverse_number(sum);
}

// NaN everywhere where the row is bad.
DEVICE void store_shares(GLOBAL Element* result, Rule rule, bool bad, Number inverse, GLOBAL const Element* row,
                         GLOBAL const uchar* mask, u32 length) {
  for (u32 i = thread_id(); i < length; i += GROUP)
    store(result, i, bad ? NOT_A_NUMBER : share_of_term(rule, inverse, logit_at(row, mask, i)));
}

#endif  // ATTNCERT_TERMS
