// The polynomial n! F_n(x), F_n(x) = sum of x^k / k! to k = n, x = z / T, of even n: the product of (x - a)^2 + b^2
// over the pairs a +- ib of its roots, of which none is real. Left of 0 the sum would cancel; the product is of
// positive numbers, each as exact as x is. The host has the roots (taylor_roots.hpp). What it errs by: docs/budgets.md.
#ifndef ATTNCERT_TAYLOR
#define ATTNCERT_TAYLOR
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"
#include "src/device/kernels/top.cl"

#ifndef MOST_PAIRS
#define MOST_PAIRS 24  // of order 48
#endif

// Of a call: 1 / T; how many pairs F_n has, and F_(n-1), whose pairs stand behind those; of each pair a, its sign above
// its size in units of 2^-57, and b^2 in units of 2^-54.
typedef struct {
  Number rate;
  u32 pairs, more;
  u64 roots[2 * MOST_PAIRS];
} Taylor;

// What the terms of a row are made of, n! F_n over 2^exponent; the roots in the group's memory.
typedef struct {
  LOCAL_PTR const u64* roots;
  u32 pairs;
  Number rate;
  Top top;
  int exponent;
} Terms;

DEVICE Signed argument_of(Number rate, float z) { return product_signed(signed_of(z), rate); }
DEVICE Number product_over(LOCAL_PTR const u64* roots, u32 pairs, Signed x) {
  Number product = number_from(1u, 0);
  for (u32 k = 0u; k < pairs; ++k) {
    const u64 a = roots[2u * k];  // not negated here: compilers make a call of that which Oclgrind does not know
    Signed real, rest;
    real.negative = a >> 63 > 0u;
    real.size = number_from(a << 1 >> 1, -57);
    rest.size = number_from(roots[2u * k + 1u], -54), rest.negative = true;
    Signed square = difference_signed(x, real);
    square.size = product_of(square.size, square.size), square.negative = false;
    product = product_of(product, difference_signed(square, rest).size);
  }
  return product;
}
DEVICE Number taylor_term(Terms terms, float x) {
  const float z = counted(terms.top, x);
  if (z == MINUS_INFINITY) return no_number();
  Number term = product_over(terms.roots, terms.pairs, argument_of(terms.rate, z));
  term.power -= terms.exponent;
  return term;
}

// The power of two above a thread's largest term, as what group_max takes.
DEVICE u32 key_of_terms(Terms terms, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length) {
  u32 largest = 0u;
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const Number term = taylor_term(terms, logit_at(row, mask, i));
    const u32 key = term.bits == 0u ? 0u : (u32)(term.power + 64 + 0x10000);
    largest = key > largest ? key : largest;
  }
  return largest;
}
// Those of a row, own the key of a thread's largest logit; the kernel has put the roots there, which all threads see
// behind the first barrier.
DEVICE Terms taylor_terms(LOCAL_PTR u64* all, LOCAL_PTR u64* few, LOCAL_PTR const u64* roots, u32 pairs, Number rate,
                          u32 own, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length) {
  Terms terms;
  terms.roots = roots, terms.pairs = pairs, terms.rate = rate, terms.exponent = 0;
  terms.top = top_of(group_max(all, few, own), PLUS_INFINITY);
  terms.exponent = (int)group_max(all, few, key_of_terms(terms, row, mask, length)) - 0x10000;
  return terms;
}

#endif  // ATTNCERT_TAYLOR
