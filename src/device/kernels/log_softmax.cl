// log-softmax of rows, a group a row: y_i = (z_i - max) / T - log(c + R), c the number of largest logits, R the sum of
// the others' exponentials beside that of the largest. The sum is anchored at the nearest logit below the largest, so
// that it keeps its digits where R is small. Rows are read again where they are not held. What y may err by:
// docs/budgets.md.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/logarithm.cl"
#include "src/device/kernels/row.cl"

// Of the logits of a thread: how many are the largest of the row, and the nearest below it.
typedef struct {
  u64 largest;
  float next;
} Heads;
DEVICE Heads heads_with(Heads h, float x, float largest) {
  h.largest += x == largest ? 1u : 0u;
  h.next = x < largest ? larger(h.next, x) : h.next;
  return h;
}

WIDE_KERNEL(GROUP)
log_softmax(ROWS, LogSoftmax call) {
  ROW;
  const Scale scale = call.softmax.scale;
  float x[KEPT];
  const u32 key = group_max(all, few, first_reading(x, row, mask, length, MINUS_INFINITY));
  const float largest = float_of_key(key);
  const bool bad = key == NAN_KEY, nothing = bad || largest == MINUS_INFINITY, infinite = largest == PLUS_INFINITY;
  const u32 first = thread_id() * VEC, step = GROUP * VEC;
  Heads heads;
  heads.largest = 0u, heads.next = MINUS_INFINITY;
#if HOLD
  UNROLL for (int k = 0; k < HOLD; ++k) heads = heads_with(heads, x[k], largest);
#else
  for (u32 i = first; i < length; i += step) {
    load_some(x, row, mask, i, length);
    UNROLL for (int c = 0; c < VEC; ++c) heads = heads_with(heads, x[c], largest);
  }
#endif
  const u32 count = (u32)group_sum(all, few, heads.largest);
  const float next = float_of_key(group_max(all, few, key_of(heads.next, false)));
  const float from = nothing || infinite ? 0.0f : largest;
  const Pair nearest = below(scale, next, from);
  const bool alone = nothing || infinite || !(nearest.head > -256.0f * scale.temperature);  // e^-256 is beyond R
  const Anchor anchor = anchor_within(scale, alone ? 0.0f : nearest.head);
  LongSum mine;
  mine.coarse = 0, mine.fine = 0, mine.finest = 0;
#if HOLD
  UNROLL for (int k = 0; k < HOLD; ++k) if (x[k] < from && !alone)
      gather_long(&mine, exponential_below(scale, anchor, below(scale, x[k], from)));
#else
  for (u32 i = first; i < length; i += step) {
    load_some(x, row, mask, i, length);
    UNROLL for (int c = 0; c < VEC; ++c) if (x[c] < from && !alone)
        gather_long(&mine, exponential_below(scale, anchor, below(scale, x[c], from)));
  }
#endif
  const u64 coarse = group_sum(all, few, mine.coarse);
  const i64 fine = (i64)group_sum(all, few, (u64)mine.fine), finest = (i64)group_sum(all, few, (u64)mine.finest);
  const Upper sum = top_of_long(coarse, fine, finest);
  const float log_sum = log_of(count, alone ? 0u : sum.top, exponent_of(anchor) - 4 - (int)sum.up);
  for (u32 i = first; i < length; i += step) {
    float y[VEC];
    load_some(y, row, mask, i, length);
    UNROLL for (int c = 0; c < VEC; ++c) {
      const bool absent = y[c] == MINUS_INFINITY || (infinite && y[c] != PLUS_INFINITY);
      const float depth = infinite ? 0.0f : depth_of(call, y[c], from);
      y[c] = bad ? NOT_A_NUMBER : absent ? MINUS_INFINITY : depth - log_sum;
    }
    store_some(y, result, i, length);
  }
}
