// exp(x / T) of a row, its sum as an integer, and the sum's reciprocal: what the softmax family shares.
//
//   e = 2^(n - N + 60) (1 + t + t^2 q(t)), n = rint(x / (T ln2)), N that of the largest logit: the arithmetic of
//       src/normalizers/exponential/exp-inl.h with fused multiply-add. The largest e of a row is near 2^60.
//   S = the sum of e in units of 2^15 (rows that are held) or of 2^-8 (longer ones): integers, in any order the same.
//       Adding 2^61 to e leaves e in units of 2^38 in the low bits; what that rounded off, plus 1.5 2^38, leaves the
//       rest in units of 2^15; what that rounded off, plus 1.5 2^15, in units of 2^-8.
//   2^64 / S = head + tail by Newton's steps from multiplications. A weight is e (head + tail), rounded once, times
//       2^-64, where a subnormal one is rounded again; e tail is not subnormal beside a weight that is not 0.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/reciprocal.cl"

// Of a call: T = temperature / (down up), the powers of two of src/normalizers/scale.hpp; rate = 1 / (temperature ln2),
// temperature ln2 = head + tail, inverse = 1 / temperature.
typedef struct {
  float down, up, temperature, rate, head, tail, inverse;
} Scale;

// What a kernel of the family is called with; k of top-k-softmax.
typedef struct {
  Scale scale;
  u32 k;
} Softmax;

// Of a row: what is subtracted first where x / T leaves the exponent's reach, the x below which nothing counts, and
// what rounds to an integer and leaves n - N + 60 + 127 in the low bits.
typedef struct {
  float subtract, floor, magic;
} Anchor;

// Of a largest logit that is `peak`, within the exponent's reach.
DEVICE Anchor anchor_within(Scale s, float peak) {
  Anchor a;
  a.subtract = 0.0f;
  a.floor = peak - 126.0f * s.temperature;
  const float n = fused(peak, s.rate, 0x1.8p23f) - 0x1.8p23f;
  a.magic = (0x1.8p23f + 187.0f) - n;
  return a;
}
DEVICE Anchor anchor_at(Scale s, float largest) {
  const float peak = largest * s.down * s.up;  // may overflow: then it is out of reach
  const bool within = peak <= 256.0f * s.temperature && peak >= -256.0f * s.temperature;
  Anchor a = anchor_within(s, within ? peak : 0.0f);
  a.subtract = within ? 0.0f : largest * s.down;
  return a;
}

// (1 + t + t^2 q(t)) 2^n, t in units of T and n in the low bits of z.
DEVICE float lifted(Scale s, float t, float z) {
  if (!UNIT) t = t * s.inverse;
  const float t2 = t * t;
  float q = fused(0x1.1239ap-7f, t, 0x1.5558b8p-5f);
  const float low = fused(0x1.555492p-3f, t, 0x1.fffffcp-2f);
  q = fused(0x1.6a44bap-10f, t2, q);
  q = fused(q, t2, low);
  const float power = float_of(bits_of(z) << 23);
  return fused(fused(t2, q, t), power, power);
}

// UNIT: T = 1, where down, up and inverse are 1 and change no bit.
DEVICE float exponential(Scale s, Anchor a, float x) {
#if UNIT
  x = x - a.subtract;
#else
  x = (x * s.down - a.subtract) * s.up;
#endif
  x = larger(x, a.floor);
  const float z = fused(x, s.rate, a.magic);
  const float n = z - a.magic;
  float t = fused(-n, s.head, x);
  t = fused(-n, s.tail, t);
  return lifted(s, t, z);
}

// What stands for a logit in the sum: where some are +infinity, they alone count.
DEVICE float term_of(Scale s, Anchor a, bool infinite, float x) {
  if (infinite) return x == PLUS_INFINITY ? 0x1p60f : 0.0f;
  return exponential(s, a, x);
}

// Of one thread: at most 256 terms, of 2^22.51 coarse and 2^22 fine units each. finest is not asked for by all.
typedef struct {
  u32 coarse;
  int fine, finest;
} Sum;
DEVICE void gather(Sum* sum, float e) {
  const float coarse = e + 0x1p61f;
  const float left = e - (coarse - 0x1p61f);
  const float fine = left + 0x1.8p38f;
  const float rest = left - (fine - 0x1.8p38f);
  sum->coarse += bits_of(coarse) - bits_of(0x1p61f);
  sum->fine += (int)(bits_of(fine) - bits_of(0x1.8p38f));
  sum->finest += (int)(bits_of(rest + 0x1.8p15f) - bits_of(0x1.8p15f));
}

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

// 2^64 / (S 2^15), S of at least 2^44.
DEVICE Pair reciprocal_of_held(u64 S) {
  const u32 up = leading_zeros(S);
  return reciprocal(S << (up & 63u), power_of_two((int)up - 14));
}
// The leading 64 bits of coarse 2^38 + fine 2^15 + finest 2^-8, a sum of at least 2^59, and how far they were moved up:
// the high word in units of 2^56 is not 0.
typedef struct {
  u64 top;
  u32 up;
} Upper;
DEVICE Upper top_of_long(u64 coarse, i64 fine, i64 finest) {
  const u64 middle = (u64)fine << 23, small = middle + (u64)finest;
  const u64 low = (coarse << 46) + small;
  const u64 carries = (small < middle ? 1u : 0u) + (low < small ? 1u : 0u);
  const u64 high = (coarse >> 18) + (u64)((fine >> 41) + (finest >> 63)) + carries;
  Upper sum;
  sum.up = leading_zeros(high | 1u);
  sum.top = sum.up == 0u ? high : (high << sum.up) | (low >> (64u - sum.up));
  return sum;
}
// 2^64 / that sum.
DEVICE Pair reciprocal_of_long(u64 coarse, i64 fine, i64 finest) {
  const Upper sum = top_of_long(coarse, fine, finest);
  return reciprocal(sum.top, power_of_two((int)sum.up - 55));
}

DEVICE float weight_of(float e, Pair p) { return fused(e, p.head, e * p.tail) * 0x1p-64f; }
