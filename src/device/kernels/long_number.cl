// Positive numbers of 192 bits, for sums of powers that leave next to nothing of 1. What each errs by: docs/budgets.md.
#ifndef ATTNCERT_LONG_NUMBER
#define ATTNCERT_LONG_NUMBER
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/number.cl"

// high 2^128 + middle 2^64 + low.
typedef struct {
  u64 high, middle, low;
} Words;
// words 2^power; the first of the 192 bits is set, or all are 0.
typedef struct {
  Words words;
  i64 power;
} Long;

DEVICE Words words_of(u64 high, u64 middle, u64 low) {
  Words w;
  w.high = high, w.middle = middle, w.low = low;
  return w;
}
DEVICE u64 added(u64 a, u64 b, u64* carry) {
  const u64 sum = a + b;
  *carry += sum < b ? 1u : 0u;
  return sum;
}
// a + b modulo 2^192, what is beyond it in *carry.
DEVICE Words words_sum(Words a, Words b, u64* carry) {
  u64 first = 0u, second = 0u;
  Words sum;
  sum.low = added(a.low, b.low, &first);
  sum.middle = added(added(a.middle, b.middle, &second), first, &second);
  sum.high = added(added(a.high, b.high, carry), second, carry);
  return sum;
}
DEVICE Words words_difference(Words a, Words b) {
  const u64 borrow = a.low < b.low ? 1u : 0u;
  const u64 more = a.middle < b.middle || (a.middle == b.middle && borrow > 0u) ? 1u : 0u;
  return words_of(a.high - b.high - more, a.middle - b.middle - borrow, a.low - b.low);
}
// The upper halves of products for shifts down beside those up: of two shifts compilers make a function that Oclgrind
// does not know.
DEVICE Words words_left(Words a, u32 n) {  // n < 64
  const u64 power = (u64)1 << n;
  return words_of(a.high << n | high_product(a.middle, power), a.middle << n | high_product(a.low, power), a.low << n);
}
DEVICE Words words_right(Words a, u32 n) {
  if (n >= 192u) return words_of(0u, 0u, 0u);
  if (n >= 128u) a = words_of(0u, 0u, a.high);
  if (n >= 64u && n < 128u) a = words_of(0u, a.high, a.middle);
  const u32 down = n & 63u, rest = (64u - down) & 63u;
  const u64 power = (u64)1 << rest;
  if (down == 0u) return a;
  return words_of(a.high >> down, high_product(a.middle, power) | a.high << rest,
                  high_product(a.low, power) | a.middle << rest);
}
// a b 2^-192, up to 5 too small.
DEVICE Words words_product(Words a, Words b) {
  u64 low = 0u, carry = 0u, more = 0u;
  low = added(low, high_product(a.high, b.low), &carry);
  low = added(low, high_product(a.middle, b.middle), &carry);
  low = added(low, high_product(a.low, b.high), &carry);
  low = added(low, a.high * b.middle, &carry);
  low = added(low, a.middle * b.high, &carry);
  u64 middle = carry;
  middle = added(middle, high_product(a.high, b.middle), &more);
  middle = added(middle, high_product(a.middle, b.high), &more);
  middle = added(middle, a.high * b.high, &more);
  return words_of(high_product(a.high, b.high) + more, middle, low);
}

DEVICE Long long_of_words(Words w, i64 power) {
  if (w.high == 0u) w = words_of(w.middle, w.low, 0u), power -= 64;
  if (w.high == 0u) w = words_of(w.middle, 0u, 0u), power -= 64;
  const u32 up = leading_zeros(w.high | 1u) & 63u;
  Long n;
  n.words = words_left(w, up);
  n.power = power - (i64)up;
  return n;
}
DEVICE Long long_of_number(Number n) { return long_of_words(words_of(n.bits, 0u, 0u), (i64)n.power - 128); }
DEVICE Long no_long() { return long_of_words(words_of(0u, 0u, 0u), 0); }
DEVICE Number number_of_long(Long a) {
  Number n;
  n.bits = a.words.high, n.power = (int)(a.power + 128);
  return n;
}
DEVICE Long long_product(Long a, Long b) {
  return long_of_words(words_product(a.words, b.words), a.power + b.power + 192);
}
// What is below the larger one's last bit is cut off.
DEVICE u32 places(i64 distance) { return distance > 255 ? 255u : (u32)distance; }
DEVICE Long long_sum(Long a, Long b) {
  const bool swapped = a.words.high == 0u || (b.words.high != 0u && b.power > a.power);
  Long sum = swapped ? b : a;
  const Long other = swapped ? a : b;
  if (other.words.high == 0u) return sum;
  u64 carry = 0u;
  sum.words = words_sum(sum.words, words_right(other.words, places(sum.power - other.power)), &carry);
  if (carry > 0u) {
    sum.words = words_right(sum.words, 1u), sum.words.high |= (u64)1 << 63;
    sum.power += 1;
  }
  return sum;
}
// a - b, a >= b.
DEVICE Long long_difference(Long a, Long b) {
  if (b.words.high == 0u) return a;
  return long_of_words(words_difference(a.words, words_right(b.words, places(a.power - b.power))), a.power);
}

#endif  // ATTNCERT_LONG_NUMBER
