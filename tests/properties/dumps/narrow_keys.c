/* Attention kernels in f32 whose K and V are narrower than q, as KV caches are, or of eight bits with scales; and what
 * such kernels get wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attncert/attention.h"

enum place { dequantized, with_sums, with_q };

struct form {
  attncert_dtype dtype_kv;
  enum place scales;           /* where they are applied: to k and v, to scores and outputs, or to q and outputs */
  int rounds_q, rounds_scaled; /* to bf16 */
  int forgets_k, forgets_v, next_head, other_type, late; /* mistakes; late: the window is a key longer */
};

static float to_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits += 0x7fff + ((bits >> 16) & 1);
  bits &= 0xffff0000u;
  memcpy(&x, &bits, sizeof bits);
  return x;
}

static float from_float8(unsigned code, int fraction_bits, int bias) {
  const int fraction = (int)(code & ((1u << fraction_bits) - 1)), exponent = (int)(code & 0x7f) >> fraction_bits;
  const float magnitude = exponent == 0
                              ? ldexpf((float)fraction, 1 - bias - fraction_bits)
                              : ldexpf((float)(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
  if ((code & 0x7f) > (fraction_bits == 3 ? 0x7eu : 0x7cu)) return NAN;
  if (fraction_bits == 2 && (code & 0x7f) == 0x7c) return (code & 0x80) != 0 ? -INFINITY : INFINITY;
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

static float stored(const struct form* form, const attncert_tensor* t, size_t at) {
  const int e4m3 = (form->dtype_kv == ATTNCERT_E4M3) != (form->other_type != 0);
  if (form->dtype_kv == ATTNCERT_F32) return ((const float*)t->data)[at];
  if (form->dtype_kv == ATTNCERT_BF16) {
    const uint32_t bits = (uint32_t)((const uint16_t*)t->data)[at] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  return from_float8(((const uint8_t*)t->data)[at], e4m3 ? 3 : 2, e4m3 ? 7 : 15);
}

static float scaled(const struct form* form, float number, float scale) {
  const float product = scale * number;
  if (form->scales != dequantized) return number;
  return form->rounds_scaled ? to_bf16(product) : product;
}

static void row(const struct form* form, const attncert_attention_arguments* a, size_t r, float* x) {
  const size_t b = r / (a->heads * a->queries), h = r / a->queries % a->heads, i = r % a->queries;
  const size_t g = h / (a->heads / a->kv_heads), s = form->next_head ? (g + 1) % a->kv_heads : g;
  const float* q = (const float*)a->q.data + b * a->q.batch_stride + h * a->q.head_stride + i * a->q.row_stride;
  float* o = (float*)a->o.data + b * a->o.batch_stride + h * a->o.head_stride + i * a->o.row_stride;
  const float k_scale = a->k_scale == NULL || form->forgets_k ? 1 : a->k_scale[s];
  const float v_scale = a->v_scale == NULL || form->forgets_v ? 1 : a->v_scale[s];
  const int64_t diagonal = (int64_t)i + a->causal_offset;
  float largest = -INFINITY, total = 0;
  for (size_t j = 0; j < a->keys; ++j) {
    const size_t at = b * a->k.batch_stride + g * a->k.head_stride + j * a->k.row_stride;
    const int after = a->window_after != 0 && (int64_t)j >= diagonal + (int64_t)a->window_after + form->late;
    const int before = a->window != 0 && (int64_t)j <= diagonal - (int64_t)a->window;
    x[j] = 0;
    for (size_t e = 0; e < a->head_size; ++e) {
      const float from_q = form->scales == with_q ? q[e] * k_scale : q[e];
      x[j] += (form->rounds_q ? to_bf16(from_q) : from_q) * scaled(form, stored(form, &a->k, at + e), k_scale);
    }
    x[j] *= a->scale;
    if (form->scales == with_sums) x[j] *= k_scale;
    if (after || before) x[j] = -INFINITY;
    if (x[j] > largest) largest = x[j];
  }
  for (size_t j = 0; j < a->keys; ++j) total += x[j] = expf(x[j] - largest);
  for (size_t c = 0; c < a->value_size; ++c) {
    float sum = 0;
    for (size_t j = 0; j < a->keys; ++j) {
      const size_t at = b * a->v.batch_stride + g * a->v.head_stride + j * a->v.row_stride + c;
      sum += x[j] * scaled(form, stored(form, &a->v, at), v_scale);
    }
    o[c] = sum / total;
    if (form->scales != dequantized) o[c] *= v_scale;
  }
  if (a->lse != NULL) a->lse[r] = largest + logf(total);
}

static attncert_attention_status attention(const struct form* form, const attncert_attention_arguments* a) {
  float* x = (float*)malloc(a->keys * sizeof(float));
  if (x == NULL) return ATTNCERT_ATTENTION_NO_RESOURCES;
  for (size_t r = 0; r < a->batches * a->heads * a->queries; ++r) row(form, a, r, x);
  free(x);
  return ATTNCERT_ATTENTION_OK;
}

/* One line a kernel: name, class, features, and its form. */
#define KERNELS(ONE)                                                                                \
  ONE(e4m3_dequantized, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E4M3})                            \
  ONE(e5m2_dequantized, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E5M2})                            \
  ONE(e4m3_scaled_sums, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E4M3, .scales = with_sums})       \
  ONE(e5m2_scaled_q, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E5M2, .scales = with_q})             \
  ONE(e4m3_without_scales, "f32", "", {.dtype_kv = ATTNCERT_E4M3})                                  \
  ONE(e4m3_in_bf16, "f32+kv=bf16", "kv-scales", {.dtype_kv = ATTNCERT_E4M3, .rounds_scaled = 1})    \
  ONE(e4m3_in_bf16_undeclared, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E4M3, .rounds_scaled = 1}) \
  ONE(forgets_k_scale, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E4M3, .forgets_k = 1})             \
  ONE(forgets_v_scale, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E4M3, .forgets_v = 1})             \
  ONE(next_heads_scales, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E4M3, .next_head = 1})           \
  ONE(reads_e5m2_as_e4m3, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E5M2, .other_type = 1})         \
  ONE(reads_e4m3_as_e5m2, "f32", "kv-scales", {.dtype_kv = ATTNCERT_E4M3, .other_type = 1})         \
  ONE(rounded_q, "f32+q=bf16", "", {.dtype_kv = ATTNCERT_BF16, .rounds_q = 1})                      \
  ONE(rounded_q_undeclared, "f32", "", {.dtype_kv = ATTNCERT_BF16, .rounds_q = 1})                  \
  ONE(rounded_q_no_class, "", "", {.dtype_kv = ATTNCERT_BF16, .rounds_q = 1})                       \
  ONE(window_after, "f32", "window,window-after", {.dtype_kv = ATTNCERT_F32})                       \
  ONE(window_after_by_one, "f32", "window,window-after", {.dtype_kv = ATTNCERT_F32, .late = 1})

#define RUN(name, rounding, features, ...)                                             \
  static attncert_attention_status run_##name(const attncert_attention_arguments* a) { \
    static const struct form form = __VA_ARGS__;                                       \
    return attention(&form, a);                                                        \
  }
KERNELS(RUN)

static attncert_dtype dtype_of(struct form form) { return form.dtype_kv; }

const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static attncert_attention_kernel all[32];
  static const attncert_attention_kernel* pointers[32];
  size_t n = 0;
#define DESCRIBE(called, class, asked_for, ...)                                         \
  all[n] = (attncert_attention_kernel){.abi = ATTNCERT_ATTENTION_ABI,                   \
                                       .size = sizeof(attncert_attention_kernel),       \
                                       .name = #called,                                 \
                                       .rounding = class,                               \
                                       .features = asked_for,                           \
                                       .dtype = ATTNCERT_F32,                           \
                                       .dtype_out = ATTNCERT_F32,                       \
                                       .head_size = 4,                                  \
                                       .run = run_##called,                             \
                                       .dtype_kv = dtype_of((struct form)__VA_ARGS__)}; \
  pointers[n] = &all[n];                                                                \
  ++n;
  KERNELS(DESCRIBE)
  *count = n;
  return pointers;
}
