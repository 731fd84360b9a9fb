// Weights that a kernel computed against the pairs of truths.cl: the error of each in ulp, certainly within what is
// allowed or left open to the processor (docs/double-double.md, 8). A group has a row of one kernel.
#include "src/device/kernels/double_double.cl"
#include "src/device/kernels/tile.cl"

#define PARTS 16u
#define PART 16u
#define SCALE 0x1p512           // of the truth
#define SHRUNK (1.0 - 0x1p-49)  // what a computed error and what is allowed may lose by rounding
#define BESIDE (1.0 - 0x1p-44)  // which of two binades a number is in that stands beside a power of two: the lower
#define LEAST_OF_F32 0x1p386    // the smallest normal number of f32, as the truth is scaled
#define EXPONENT 0x7ff0000000000000ul

// What a kernel's answer to a row is held to.
typedef struct {
  u64 digits;      // of its type
  f64 least;       // the smallest normal number of its type, scaled
  f64 flat, fine;  // allowed: `flat` ulp of the result and `fine` ulp that f32 has there
  f64 truth;       // ulp that the truth may err by
  f64 zeros;       // a weight from here on that was computed as 0 is left open
} Held;

typedef struct {
  bool absent, inside;
  f64 error, allowed, limit;  // in ulp
} Entry;

// 1 / ulp(v), v no less than the smallest normal number.
DEVICE f64 inverse_ulp(f64 v, u64 digits) { return f64_of(((2045u + digits) << 52) - (bits64_of(v) & EXPONENT)); }
DEVICE f64 ulp_of_f32(f64 v) { return f64_of((bits64_of(v) & EXPONENT) - (23ul << 52)); }
DEVICE f64 at_least(f64 v, f64 least) { return v > least ? v : least; }

// What takes part the logit says, not the truth: a truth that is NaN beside a logit that is present leaves it open.
DEVICE Entry judged(float logit, Pair exact, float computed, Held held) {
  Entry entry;
  const f64 y = (f64)computed, difference = (y * SCALE - exact.high) - exact.low;
  // Of a power of two the smaller unit: its exact value may lie below.
  const f64 above_least = f64_of(bits64_of(held.least) + 1u);
  const f64 below = f64_of(bits64_of(at_least(exact.high, above_least)) - 1u), size = exact.high * BESIDE;
  entry.error = (difference < 0.0 ? -difference : difference) * inverse_ulp(below, held.digits);
  const f64 finer = inverse_ulp(at_least(size, held.least), held.digits) * ulp_of_f32(at_least(size, LEAST_OF_F32));
  entry.allowed = fused64(held.fine, finer, held.flat);
  entry.limit = (entry.allowed - held.truth) * SHRUNK;
  entry.absent = logit == MINUS_INFINITY;
  entry.inside = entry.error <= entry.limit && entry.limit > 0.0 && !(y == 0.0 && exact.high >= held.zeros);
  if (entry.absent) entry.inside = y == 0.0;
  return entry;
}

// Of a part of a row: how many are left open, the largest error of the others, the largest share of what is allowed
// with its place, the first of several, and what is allowed there. Numbers of places are exact.
typedef struct {
  f64 open, error, share, place, allowed;
} Worst;

DEVICE Worst worse_of(Worst a, Worst b) {
  Worst worst = a;
  worst.open = a.open + b.open;
  worst.error = at_least(b.error, a.error);
  if (b.share > a.share || (b.share == a.share && b.place < a.place))
    worst.share = b.share, worst.place = b.place, worst.allowed = b.allowed;
  return worst;
}

// The error as a share of what it may be; as the processor's judge has it, so that figures are the same: where what is
// allowed differs from entry to entry the truth's error is taken off that, else it is added to the error.
DEVICE f64 share_of(Entry entry, Held held) {
  return held.fine > 0.0 ? quotient(entry.error, entry.limit) : quotient(entry.error + held.truth, entry.allowed);
}

DEVICE Worst with_entry(Worst worst, Entry entry, f64 place, Held held) {
  if (!entry.inside) worst.open = worst.open + 1.0;
  if (entry.inside && !entry.absent) {
    const f64 share = share_of(entry, held);
    worst.error = at_least(entry.error, worst.error);
    if (share > worst.share) worst.share = share, worst.place = place, worst.allowed = entry.allowed;
  }
  return worst;
}

// all[lane], folded as sums are.
DEVICE Worst worst_of_lanes(LOCAL_PTR Worst* all, LOCAL_PTR Worst* few) {
  group_barrier();
  for (u32 j = thread_id(); j < PARTS; j += THREADS) {
    Worst part = all[j * PART];
    for (u32 k = 1; k < PART; ++k) part = worse_of(part, all[j * PART + k]);
    few[j] = part;
  }
  group_barrier();
  Worst whole = few[0];
  for (u32 k = 1; k < PARTS; ++k) whole = worse_of(whole, few[k]);
  return whole;
}

// Of each answer: where its row and its truth begin, where its weights do, its length, the digits of its type.
#define PLACES 4u
#define LIMITS 5u   // of each answer, the numbers of Held
#define NUMBERS 5u  // of each verdict, those of Worst

// samples: of TILE entries spread evenly over the row, or of all, the error and what is allowed; NaN of an absent one.
KERNEL(THREADS)
judge(GLOBAL const float* RESTRICT all_logits, GLOBAL const f64* RESTRICT all_high, GLOBAL const f64* RESTRICT all_low,
      GLOBAL const float* RESTRICT all_weights, GLOBAL const u64* RESTRICT places, GLOBAL const f64* RESTRICT limits,
      GLOBAL f64* RESTRICT verdicts, GLOBAL f64* RESTRICT samples) {
  LOCAL Worst all[TILE], few[PARTS];
  const u64 a = group_id(), length = places[PLACES * a + 2u];
  GLOBAL const float* logits = all_logits + places[PLACES * a];
  GLOBAL const f64* high = all_high + places[PLACES * a];
  GLOBAL const f64* low = all_low + places[PLACES * a];
  GLOBAL const float* weights = all_weights + places[PLACES * a + 1u];
  GLOBAL const f64* limit = limits + LIMITS * a;
  Held held;
  held.digits = places[PLACES * a + 3u], held.least = limit[0], held.flat = limit[1], held.fine = limit[2];
  held.truth = limit[3], held.zeros = limit[4];
  for (u32 j = 0; j < EACH; ++j) {
    const u32 lane = place_of(j);
    Worst worst;
    worst.open = 0.0, worst.error = 0.0, worst.share = 0.0, worst.place = 0.0, worst.allowed = 0.0;
    for (u64 i = lane; i < length; i += TILE)
      worst = with_entry(worst, judged(logits[i], pair_of(high[i], low[i]), weights[i], held), (f64)i, held);
    all[lane] = worst;
    const u64 sampled = length > TILE ? (lane * length) >> 8 : lane;
    f64 error = f64_of(0x7ff8000000000000ul), allowed = 0.0;
    if (sampled < length) {
      const Entry entry = judged(logits[sampled], pair_of(high[sampled], low[sampled]), weights[sampled], held);
      if (!entry.absent) error = entry.error, allowed = entry.allowed;
    }
    samples[2u * (a * TILE + lane)] = error, samples[2u * (a * TILE + lane) + 1u] = allowed;
  }
  const Worst whole = worst_of_lanes(all, few);
  if (thread_id() == 0u) {
    GLOBAL f64* verdict = verdicts + NUMBERS * a;
    verdict[0] = whole.open, verdict[1] = whole.error, verdict[2] = whole.share, verdict[3] = whole.place;
    verdict[4] = whole.allowed;
  }
}
