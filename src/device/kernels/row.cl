// A row in the registers of a group, and reductions of a group whose result does not depend on any order.
//
// GROUP threads hold HOLD elements each, VEC adjacent ones at a time (VEC = 4: rows begin at multiples of four).
// HOLD = 0: nothing is held, and a row of any length is read as often as it is needed.
#ifndef ATTNCERT_ROW
#define ATTNCERT_ROW
#include "src/device/kernels/dialect.cl"

// Memory has f32, f16 or bf16, by the numbers of attncert_dtype; registers have f32.
#ifndef STORAGE
#define STORAGE 1
#endif
#if STORAGE == 1
typedef float Element;
typedef float4 Four;
DEVICE float number_of(Element e) { return e; }
DEVICE Element element_of(float x) { return x; }
DEVICE void unpack(Four four, float* x) { x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w; }
DEVICE Four packed(const float* y) {
  Four four;
  four.x = y[0], four.y = y[1], four.z = y[2], four.w = y[3];
  return four;
}
#else
typedef u16 Element;
typedef uint2 Four;  // two elements a word, the first in its lower half
#if STORAGE == 3
DEVICE float number_of(Element e) { return float_of_half(e); }
DEVICE Element element_of(float x) { return half_of(x); }
#else
DEVICE float number_of(Element e) { return float_of((u32)e << 16); }
DEVICE Element element_of(float x) {  // to nearest, ties to even
  const u32 b = bits_of(x);
  return (u16)(x != x ? 0x7fc0u : (b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
}
#endif
DEVICE void unpack(Four four, float* x) {
  x[0] = number_of((Element)(four.x & 0xffffu)), x[1] = number_of((Element)(four.x >> 16));
  x[2] = number_of((Element)(four.y & 0xffffu)), x[3] = number_of((Element)(four.y >> 16));
}
DEVICE Four packed(const float* y) {
  Four four;
  four.x = (u32)element_of(y[0]) | (u32)element_of(y[1]) << 16;
  four.y = (u32)element_of(y[2]) | (u32)element_of(y[3]) << 16;
  return four;
}
#endif
DEVICE float load(GLOBAL const Element* from, u64 at) { return number_of(from[at]); }
DEVICE void store(GLOBAL Element* to, u64 at, float x) { to[at] = element_of(x); }

#define STAGE (GROUP >= 256 ? 16 : 8)
#define NAN_KEY 0xffffffffu

// A logit, -infinity where it is masked.
DEVICE float logit_at(GLOBAL const Element* row, GLOBAL const uchar* mask, u64 at) {
  return mask && !mask[at] ? MINUS_INFINITY : load(row, at);
}

// VEC logits from `at` on, -infinity behind the end of the row.
DEVICE void load_some(float* x, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 at, u32 length) {
#if VEC == 4
  if (at + 3u < length && !mask) {
    unpack(*(GLOBAL const Four*)(row + at), x);
  } else
#endif
    for (int c = 0; c < VEC; ++c) x[c] = at + (u32)c < length ? logit_at(row, mask, at + (u32)c) : MINUS_INFINITY;
}

DEVICE void store_some(const float* y, GLOBAL Element* row, u32 at, u32 length) {
#if VEC == 4
  if (at + 3u < length) {
    *(GLOBAL Four*)(row + at) = packed(y);
  } else
#endif
    for (int c = 0; c < VEC; ++c)
      if (at + (u32)c < length) store(row, at + (u32)c, y[c]);
}

#if HOLD
// Neighbouring threads read neighbouring elements: element j of this thread is j GROUP + VEC thread_id() + j % VEC of
// the row, j rounded down to VEC in the first.
DEVICE u32 place_of(int j) {
  return ((u32)j & ~(u32)(VEC - 1)) * GROUP + thread_id() * VEC + ((u32)j & (u32)(VEC - 1));
}

DEVICE void load_row(float* x, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length) {
  UNROLL for (int j = 0; j < HOLD; j += VEC) load_some(x + j, row, mask, (u32)j * GROUP + thread_id() * VEC, length);
}

DEVICE void store_row(const float* y, GLOBAL Element* row, u32 length) {
  UNROLL for (int j = 0; j < HOLD; j += VEC) store_some(y + j, row, (u32)j * GROUP + thread_id() * VEC, length);
}
#endif

// The order of floats as an order of integers, NaN above all, so that one maximum finds the largest logit and any NaN.
DEVICE u32 key_of(float largest, bool bad) {
  const u32 b = bits_of(largest);
  if (bad) return NAN_KEY;
  return b & 0x80000000u ? ~b : b | 0x80000000u;
}
DEVICE float float_of_key(u32 key) { return float_of(key & 0x80000000u ? key & 0x7fffffffu : ~key); }

// What a thread keeps of a row between readings: its elements where the row is held, else a vector of them.
#define KEPT (HOLD ? HOLD : VEC)

// The first reading of a row, which fills `x` where the row is held: the key of the largest logit of this thread,
// `least` or more.
DEVICE u32 first_reading(float* x, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, float least) {
  float largest = least;
  bool bad = false;
#if HOLD
  load_row(x, row, mask, length);
  UNROLL for (int k = 0; k < HOLD; ++k) largest = larger(largest, x[k]), bad = bad || x[k] != x[k];
#else
  for (u32 i = thread_id() * VEC; i < length; i += GROUP * VEC) {
    load_some(x, row, mask, i, length);
    UNROLL for (int c = 0; c < VEC; ++c) largest = larger(largest, x[c]), bad = bad || x[c] != x[c];
  }
#endif
  return key_of(largest, bad);
}

// The arguments that every kernel of rows begins with, and what it has of them: the row of this group. Rows are shorter
// than 2^31.
#define ROWS                                                                                                     \
  GLOBAL const Element *RESTRICT input, GLOBAL Element *RESTRICT output, GLOBAL const uchar *RESTRICT mask_rows, \
      u64 row_length, u64 input_stride, u64 output_stride, u64 mask_stride
#define ROW                                                                       \
  LOCAL u64 all[GROUP], few[STAGE];                                               \
  const u64 r = group_id();                                                       \
  const u32 length = (u32)row_length;                                             \
  GLOBAL const Element* row = input + r * input_stride;                           \
  GLOBAL const uchar* mask = mask_rows ? mask_rows + r * mask_stride : mask_rows; \
  GLOBAL Element* result = output + r * output_stride
// And those that a derivative has behind them: the gradient of its output.
#define UPSTREAM GLOBAL const Element *RESTRICT upstream_rows, u64 upstream_stride
#define UPSTREAM_ROW GLOBAL const Element* upstream = upstream_rows + r * upstream_stride

// Two steps and two barriers, whatever GROUP is, without sub-groups. What every thread knows behind the second barrier,
// nobody overwrites before the first of the next reduction.
DEVICE u32 group_max(LOCAL_PTR u64* all, LOCAL_PTR u64* few, u32 value) {
  const u32 t = thread_id();
  all[t] = value;
  group_barrier();
  if (t < STAGE) {
    u64 m = all[t];
    FOUR_AT_A_TIME for (u32 j = t + STAGE; j < GROUP; j += STAGE) m = all[j] > m ? all[j] : m;
    few[t] = m;
  }
  group_barrier();
  u64 m = few[0];
  FOUR_AT_A_TIME for (u32 j = 1; j < STAGE; ++j) m = few[j] > m ? few[j] : m;
  return (u32)m;
}

// A sum of integers is exact modulo 2^64, hence the same in every order and with any GROUP.
DEVICE u64 group_sum(LOCAL_PTR u64* all, LOCAL_PTR u64* few, u64 value) {
  const u32 t = thread_id();
  all[t] = value;
  group_barrier();
  if (t < STAGE) {
    u64 s = all[t];
    FOUR_AT_A_TIME for (u32 j = t + STAGE; j < GROUP; j += STAGE) s += all[j];
    few[t] = s;
  }
  group_barrier();
  u64 s = few[0];
  FOUR_AT_A_TIME for (u32 j = 1; j < STAGE; ++j) s += few[j];
  return s;
}

#endif  // ATTNCERT_ROW
