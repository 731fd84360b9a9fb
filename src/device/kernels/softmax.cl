// softmax of rows, a group a row; ZERO: softmax1, where one more logit, 0, takes part and has no weight to write.
// softmax_held reads and writes a row of at most GROUP HOLD once; softmax_long reads any row three times. What a
// weight may err by: docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/exponential.cl"
#include "src/device/kernels/row.cl"

#ifndef ZERO
#define ZERO 0
#endif

// What the largest logit of a row says of it.
typedef struct {
  bool nothing, infinite, bad;  // only -infinity; some +infinity; some NaN
  Anchor anchor;
} Kind;
DEVICE Kind kind_of(Scale scale, u32 key) {
  Kind kind;
  const float largest = float_of_key(key);
  kind.bad = key == NAN_KEY;
  kind.nothing = largest == MINUS_INFINITY;
  kind.infinite = largest == PLUS_INFINITY;
  kind.anchor = anchor_at(scale, kind.bad || kind.nothing || kind.infinite ? 0.0f : largest);
  return kind;
}
DEVICE Pair reciprocal_in(Kind kind, Pair p) {
  const float instead = kind.bad ? NOT_A_NUMBER : 0.0f;
  if (kind.bad || kind.nothing) p.head = instead, p.tail = instead;
  return p;
}

#if HOLD
KERNEL(GROUP)
softmax_held(GLOBAL const Element* RESTRICT input, GLOBAL Element* RESTRICT output, GLOBAL const uchar* RESTRICT mask,
             u64 length, u64 input_stride, u64 output_stride, u64 mask_stride, Scale scale) {
  LOCAL u64 all[GROUP], few[STAGE];
  const u64 r = group_id();
  float x[HOLD];
  load_row(x, input + r * input_stride, mask ? mask + r * mask_stride : mask, (u32)length);
  float largest = ZERO ? 0.0f : MINUS_INFINITY;
  bool bad = false;
  UNROLL for (int k = 0; k < HOLD; ++k) largest = larger(largest, x[k]), bad = bad || x[k] != x[k];
  const Kind kind = kind_of(scale, group_max(all, few, key_of(largest, bad)));
  Sum mine;
  mine.coarse = 0, mine.fine = 0, mine.finest = 0;
  UNROLL for (int k = 0; k < HOLD; ++k) {
    x[k] = term_of(scale, kind.anchor, kind.infinite, x[k]);
    gather(&mine, x[k]);
  }
  if (ZERO && thread_id() == 0u) gather(&mine, term_of(scale, kind.anchor, kind.infinite, 0.0f));
  const u64 sum = group_sum(all, few, ((u64)mine.coarse << 23) + (u64)(i64)mine.fine);
  const Pair p = reciprocal_in(kind, reciprocal_of_held(sum));
  UNROLL for (int k = 0; k < HOLD; ++k) x[k] = weight_of(x[k], p);
  store_row(x, output + r * output_stride, (u32)length);
}
#else
// Of a thread of a longer row: the words of any number of terms.
typedef struct {
  u64 coarse;
  i64 fine, finest;
} LongSum;
DEVICE void gather_long(LongSum* sum, float e) {
  Sum one;
  one.coarse = 0, one.fine = 0, one.finest = 0;
  gather(&one, e);
  sum->coarse += one.coarse, sum->fine += one.fine, sum->finest += one.finest;
}

KERNEL(GROUP)
softmax_long(GLOBAL const Element* RESTRICT input, GLOBAL Element* RESTRICT output, GLOBAL const uchar* RESTRICT mask,
             u64 length, u64 input_stride, u64 output_stride, u64 mask_stride, Scale scale) {
  LOCAL u64 all[GROUP], few[STAGE];
  const u64 r = group_id();
  GLOBAL const Element* row = input + r * input_stride;
  GLOBAL const uchar* keep = mask ? mask + r * mask_stride : mask;
  float largest = ZERO ? 0.0f : MINUS_INFINITY;
  bool bad = false;
  const u32 first = thread_id() * VEC, step = GROUP * VEC, end = (u32)length;  // rows are shorter than 2^31
  float x[VEC];
  for (u32 i = first; i < end; i += step) {
    load_some(x, row, keep, i, end);
    UNROLL for (int c = 0; c < VEC; ++c) largest = larger(largest, x[c]), bad = bad || x[c] != x[c];
  }
  const Kind kind = kind_of(scale, group_max(all, few, key_of(largest, bad)));
  LongSum mine;
  mine.coarse = 0, mine.fine = 0, mine.finest = 0;
  for (u32 i = first; i < end; i += step) {
    load_some(x, row, keep, i, end);
    UNROLL for (int c = 0; c < VEC; ++c) gather_long(&mine, term_of(scale, kind.anchor, kind.infinite, x[c]));
  }
  if (ZERO && thread_id() == 0u) gather_long(&mine, term_of(scale, kind.anchor, kind.infinite, 0.0f));
  const u64 coarse = group_sum(all, few, mine.coarse);
  const i64 fine = (i64)group_sum(all, few, (u64)mine.fine), finest = (i64)group_sum(all, few, (u64)mine.finest);
  const Pair p = reciprocal_in(kind, reciprocal_of_long(coarse, fine, finest));
  for (u32 i = first; i < end; i += step) {
    load_some(x, row, keep, i, end);
    UNROLL for (int c = 0; c < VEC; ++c) x[c] = weight_of(term_of(scale, kind.anchor, kind.infinite, x[c]), p);
    store_some(x, output + r * output_stride, i, end);
  }
}
#endif
