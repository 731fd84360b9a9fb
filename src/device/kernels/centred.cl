// Derivatives, of each upstream gradient g_i and D = sum v_j g_j / sum w_j. A kernel defines `Rule`, what a row's terms
// are made of, and two functions of it: term_of, the Number w of a logit, below 2 and 0 where it is absent, and
// gradient_of, the result at a logit that is there. v is w unless FACTOR names another function. Both sums are
// integers.
#ifndef ATTNCERT_CENTRED
#define ATTNCERT_CENTRED
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed_sum.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/signed.cl"
#include "src/device/kernels/upstream.cl"

DEVICE Number term_itself(float x, Number term) { return term; }
#ifndef FACTOR
#define FACTOR term_itself
#endif
DEVICE float logit_itself(Rule rule, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 at) {
  return logit_at(row, mask, at);
}
#ifndef LOGIT  // the logit at a place, as it takes part
#define LOGIT logit_itself
#endif

// Of a thread: the sum of its terms in units of 2^-176, and the largest power of two of its v |g|.
typedef struct {
  Fixed terms;
  u32 key;
} Weighed;
DEVICE Weighed weighed_of(Rule rule, GLOBAL const Element* row, GLOBAL const uchar* mask,
                          GLOBAL const Element* upstream, u32 length) {
  Weighed mine;
  mine.terms = fixed_zero(), mine.key = 0u;
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const float x = LOGIT(rule, row, mask, i);
    const Number term = term_of(rule, x), product = product_of(FACTOR(x, term), size_of(load(upstream, i)));
    const u32 key = product.bits == 0u ? 0u : (u32)(product.power + 0x10000);
    mine.terms = sum_of(mine.terms, placed(term.bits, term.power + FRACTION));
    mine.key = key > mine.key ? key : mine.key;
  }
  return mine;
}
// The sum of v g of a thread in units of 2^-176, of 2^exponent.
DEVICE Fixed products_of(Rule rule, int exponent, GLOBAL const Element* row, GLOBAL const uchar* mask,
                         GLOBAL const Element* upstream, u32 length) {
  Fixed sum = fixed_zero();
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const float x = LOGIT(rule, row, mask, i);
    const Signed product = product_signed(signed_of(load(upstream, i)), FACTOR(x, term_of(rule, x)));
    sum = sum_of(sum, placed_signed(product, FRACTION - exponent));
  }
  return carried(sum);
}

// `more`: a term without a place in the row.
DEVICE Centre centre_of(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Rule rule, Number more, GLOBAL const Element* row,
                        GLOBAL const uchar* mask, GLOBAL const Element* upstream, u32 length) {
  Weighed mine = weighed_of(rule, row, mask, upstream, length);
  if (thread_id() == 0u) mine.terms = sum_of(mine.terms, placed(more.bits, more.power + FRACTION));
  Number sum = leading_of(group_sum_of(all, few, carried(mine.terms)));
  sum.power -= FRACTION;
  const int exponent = (int)group_max(all, few, mine.key) - 0x10000 + 63;
  Centre centre;
  centre.inverse = inverse_number(sum.bits == 0u ? number_from(1u, 0) : sum);
  const Fixed products = products_of(rule, exponent, row, mask, upstream, length);
  centre.mean = leading_signed(group_sum_of(all, few, products));
  centre.mean.size.power += exponent - FRACTION;
  centre.mean = product_signed(centre.mean, centre.inverse);
  return centre;
}

// The row of gradients: 0 where the logit is absent, NaN everywhere where the row is bad.
DEVICE void store_gradients(GLOBAL Element* result, Rule rule, bool bad, Centre centre, GLOBAL const Element* row,
                            GLOBAL const uchar* mask, GLOBAL const Element* upstream, u32 length) {
  for (u32 i = thread_id(); i < length; i += GROUP) {
    const float x = LOGIT(rule, row, mask, i);
    float y = bad ? NOT_A_NUMBER : 0.0f;
    if (!bad && x != MINUS_INFINITY) y = float_of_signed(gradient_of(rule, centre, x, signed_of(load(upstream, i))));
    store(result, i, y);
  }
}

#endif  // ATTNCERT_CENTRED
