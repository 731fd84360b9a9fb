// What log-softmax needs beside exponential.cl: exponentials of differences that are not rounded, and the logarithm of
// a sum beside its largest term.
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/exponential.cl"
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/reciprocal.cl"

// What log-softmax is called with. Where T is beyond the reach of Scale, weights no longer change, but (x - largest)
// / T does: it is (halved x - halved largest) first inverse second third, inverse in [1, 2], the others powers of two;
// halved is 1/2 where T is above 1 and the difference could overflow alone.
typedef struct {
  Softmax softmax;
  float halved, first, inverse, second, third;
} LogSoftmax;

// x - largest in units of T / (down up), without error (Knuth's TwoSum).
DEVICE Pair below(Scale s, float x, float largest) {
  const float a = x * s.down, b = -largest * s.down;
  const float sum = a + b, c = sum - b;
  Pair p;
  p.head = sum * s.up;
  p.tail = ((a - c) + (b - (sum - c))) * s.up;
  if (p.head < -0x1p120f) p.tail = 0.0f;  // an overflow leaves no number there
  return p;
}
// (x - largest) / T, as a float.
DEVICE float depth_of(LogSoftmax call, float x, float largest) {
  const float difference = x * call.halved - largest * call.halved;
  return difference * call.first * call.inverse * call.second * call.third;
}

// exp of it in units of 2^(n - 60), n that of the nearest logit below the largest.
DEVICE float exponential_below(Scale s, Anchor a, Pair x) {
  const float head = larger(x.head, a.floor), tail = x.head < a.floor ? 0.0f : x.tail;
  const float z = fused(head, s.rate, a.magic);
  const float n = z - a.magic;
  float t = fused(-n, s.head, head) + tail;
  t = fused(-n, s.tail, t);
  return lifted(s, t, z);
}
// n of an anchor.
DEVICE int exponent_of(Anchor a) { return (int)((0x1.8p23f + 187.0f) - a.magic); }

// log(count + R), R = top 2^power, top of 64 leading bits or 0.
DEVICE float log_of(u32 count, u64 top, int power) {
  if (count == 1u && power < -93) return top == 0u ? 0.0f : rounded(top, power);  // R below 2^-29: log(1 + R) is R
  const float size = power < -126 ? 0.0f : power_of_two(power + 62);
  const float head = (float)(u32)(top >> 40) * 0x1p-22f * size,
              tail = (float)(u32)((top >> 16) & 0xffffffu) * 0x1p-46f * size;
  Pair f;
  int j = 0;
  if (count == 1u && head < 0x1.555556p-2f) {
    f.head = head, f.tail = tail;
  } else {
    const float whole = nearest_float((i64)count), rest = (float)(int)((i64)count - (i64)whole);
    const float sum = whole + head, c = sum - head;
    const float low = ((whole - c) + (head - (sum - c))) + (rest + tail);
    j = (int)(bits_of(sum) >> 23) - 127;
    if (sum * power_of_two(-j) >= 0x1.555556p0f) j += 1;
    f.head = sum * power_of_two(-j) - 1.0f, f.tail = low * power_of_two(-j);
  }
  // log(1 + f) = 2 atanh(s), s = f / (2 + f), at most 1/5, as a pair: the series ends at s^13.
  const float d = 2.0f + f.head, d_tail = ((2.0f - d) + f.head) + f.tail;
  const float r = 0.5f * inverse_of(0.5f * d);
  const float s = f.head * r;
  const float left = fused(-s, d, f.head) + fused(-s, d_tail, f.tail);
  const float s2 = s * s;
  float q = fused(0x1.3b13b2p-4f, s2, 0x1.745d18p-4f);
  q = fused(q, s2, 0x1.c71c72p-4f);
  q = fused(q, s2, 0x1.24924ap-3f);
  q = fused(q, s2, 0x1.99999ap-3f);
  q = fused(q, s2, 0x1.555556p-2f);
  const float s_tail = fused(s * s2, q, left * r);
  // j ln2 + 2 (s + s_tail); j times the head of ln2 is exact.
  const float high = (float)j * 0x1.62e4p-1f, sum = high + 2.0f * s, c = sum - high;
  const float low = (high - (sum - c)) + (2.0f * s - c);
  return sum + (low + fused((float)j, 0x1.7f7d1cp-20f, 2.0f * s_tail));
}
