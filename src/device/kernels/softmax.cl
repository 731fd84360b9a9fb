// softmax of rows, a group a row; ZERO: softmax1, where one more logit, 0, takes part and has no weight to write; TOP:
// top-k-softmax, of the k largest logits.
// A row that is held is read and written once, a longer one read three times. What a weight may err by:
// docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/exponential.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/top_k.cl"

#ifndef ZERO
#define ZERO 0
#endif
#ifndef TOP
#define TOP 0
#endif

// Logit x at its place, as it takes part.
DEVICE float taken(Choice choice, float x, u32 at) { return TOP && !is_chosen(choice, x, at) ? MINUS_INFINITY : x; }

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

KERNEL(GROUP)
softmax(ROWS, Softmax call) {
  ROW;
  float x[KEPT];
  const u32 key = first_reading(x, row, mask, length, ZERO ? 0.0f : MINUS_INFINITY);
  const Scale scale = call.scale;
  const Kind kind = kind_of(scale, group_max(all, few, key));
#if TOP
  const Choice choice = choice_of(all, few, call.k, x, row, mask, length);
#else
  const Choice choice = all_chosen();
#endif
#if HOLD
  Sum mine;
  mine.coarse = 0, mine.fine = 0, mine.finest = 0;
  UNROLL for (int k = 0; k < HOLD; ++k) {
    x[k] = term_of(scale, kind.anchor, kind.infinite, taken(choice, x[k], place_of(k)));
    gather(&mine, x[k]);
  }
  if (ZERO && thread_id() == 0u) gather(&mine, term_of(scale, kind.anchor, kind.infinite, 0.0f));
  const u64 sum = group_sum(all, few, ((u64)mine.coarse << 23) + (u64)(i64)mine.fine);
  const Pair p = reciprocal_in(kind, reciprocal_of_held(sum));
  UNROLL for (int k = 0; k < HOLD; ++k) x[k] = weight_of(x[k], p);
  store_row(x, result, length);
#else
  const u32 first = thread_id() * VEC, step = GROUP * VEC;
  LongSum mine;
  mine.coarse = 0, mine.fine = 0, mine.finest = 0;
  for (u32 i = first; i < length; i += step) {
    load_some(x, row, mask, i, length);
    UNROLL for (int c = 0; c < VEC; ++c)
        gather_long(&mine, term_of(scale, kind.anchor, kind.infinite, taken(choice, x[c], i + (u32)c)));
  }
  if (ZERO && thread_id() == 0u) gather_long(&mine, term_of(scale, kind.anchor, kind.infinite, 0.0f));
  const u64 coarse = group_sum(all, few, mine.coarse);
  const i64 fine = (i64)group_sum(all, few, (u64)mine.fine), finest = (i64)group_sum(all, few, (u64)mine.finest);
  const Pair p = reciprocal_in(kind, reciprocal_of_long(coarse, fine, finest));
  for (u32 i = first; i < length; i += step) {
    load_some(x, row, mask, i, length);
    UNROLL for (int c = 0; c < VEC; ++c) x[c] =
        weight_of(term_of(scale, kind.anchor, kind.infinite, taken(choice, x[c], i + (u32)c)), p);
    store_some(x, result, i, length);
  }
#endif
}
