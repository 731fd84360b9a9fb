/* SPDX-License-Identifier: MIT
 * Attention in plain C and its backward pass, block by block with a running maximum, as a library that attncert judges:
 *   attncert judge /tmp/cases --library libplain_c_attention.so
 */
#include "attncert/attention.h"

#include <math.h>
#include <string.h>

#define BLOCK 32
#define LARGEST_VALUE 256

static size_t at(const attncert_tensor* t, size_t b, size_t h, size_t row) {
  return b * t->batch_stride + h * t->head_stride + row * t->row_stride;
}

/* Whether query i of batch b keeps key j. */
static int keeps(const attncert_attention_arguments* a, size_t b, size_t h, size_t i, size_t j) {
  const int64_t diagonal = (int64_t)i + a->causal_offset, key = (int64_t)j;
  if (a->lengths != NULL && j >= a->lengths[b]) return 0;
  if ((a->flags & ATTNCERT_CAUSAL) != 0 && key > diagonal) return 0;
  if (a->window != 0 && key <= diagonal - (int64_t)a->window) return 0;
  return a->mask.data == NULL || ((const uint8_t*)a->mask.data)[at(&a->mask, b, h, i) + j] != 0;
}

static float dot(const float* a, const float* b, size_t size) {
  float sum = 0;
  for (size_t e = 0; e < size; ++e) sum += a[e] * b[e];
  return sum;
}

/* slope: of the softcap there, 1 without one; may be NULL. */
static float score(const attncert_attention_arguments* a, size_t b, size_t h, size_t i, size_t j, float* slope) {
  const float* q = (const float*)a->q.data + at(&a->q, b, h, i);
  const float* k = (const float*)a->k.data + at(&a->k, b, h / (a->heads / a->kv_heads), j);
  float x = a->scale * dot(q, k, a->head_size);
  const float capped = a->softcap > 0 ? tanhf(x / a->softcap) : 0;
  if (slope != NULL) *slope = 1 - capped * capped;
  if (a->softcap > 0) x = a->softcap * capped;
  if (a->bias.data != NULL) x += ((const float*)a->bias.data)[at(&a->bias, b, h, i) + j];
  if (a->slopes != NULL) {
    const float distance = (float)((int64_t)j - (int64_t)i - a->causal_offset);
    x += a->slopes[h] * ((a->flags & ATTNCERT_CAUSAL) != 0 ? distance : -fabsf(distance));
  }
  return x;
}

static void row(const attncert_attention_arguments* a, size_t b, size_t h, size_t i) {
  const size_t group = h / (a->heads / a->kv_heads);
  float* o = (float*)a->o.data + at(&a->o, b, h, i);
  float sum[LARGEST_VALUE] = {0}, scores[BLOCK];
  float largest = a->sinks != NULL ? a->sinks[h] : -INFINITY, total = a->sinks != NULL ? 1 : 0;
  for (size_t first = 0; first < a->keys; first += BLOCK) {
    const size_t count = a->keys - first < BLOCK ? a->keys - first : BLOCK;
    float highest = largest, factor;
    for (size_t n = 0; n < count; ++n) {
      scores[n] = keeps(a, b, h, i, first + n) ? score(a, b, h, i, first + n, NULL) : -INFINITY;
      if (scores[n] > highest) highest = scores[n];
    }
    if (highest == -INFINITY) continue;
    factor = largest == -INFINITY ? 0 : expf(largest - highest);
    total *= factor;
    for (size_t c = 0; c < a->value_size; ++c) sum[c] *= factor;
    for (size_t n = 0; n < count; ++n) {
      const float* v = (const float*)a->v.data + at(&a->v, b, group, first + n);
      if (scores[n] == -INFINITY) continue; /* v may hold anything */
      const float weight = expf(scores[n] - highest);
      total += weight;
      for (size_t c = 0; c < a->value_size; ++c) sum[c] += weight * v[c];
    }
    largest = highest;
  }
  for (size_t c = 0; c < a->value_size; ++c) o[c] = total > 0 ? sum[c] / total : 0;
  if (a->lse != NULL) a->lse[(b * a->heads + h) * a->queries + i] = total > 0 ? largest + logf(total) : -INFINITY;
}

static attncert_attention_status run(const attncert_attention_arguments* a) {
  if (a->value_size > LARGEST_VALUE) return ATTNCERT_ATTENTION_DECLINED;
  for (size_t b = 0; b < a->batches; ++b)
    for (size_t h = 0; h < a->heads; ++h)
      for (size_t i = 0; i < a->queries; ++i) row(a, b, h, i);
  return ATTNCERT_ATTENTION_OK;
}

static void zero(const attncert_tensor* t, size_t batches, size_t heads, size_t rows, size_t size) {
  for (size_t b = 0; b < batches; ++b)
    for (size_t h = 0; h < heads; ++h)
      for (size_t r = 0; r < rows; ++r) memset((float*)t->data + at(t, b, h, r), 0, size * sizeof(float));
}

static void row_backward(const attncert_attention_arguments* a, const attncert_attention_gradients* g, size_t b,
                         size_t h, size_t i) {
  const size_t group = h / (a->heads / a->kv_heads);
  const float* q = (const float*)a->q.data + at(&a->q, b, h, i);
  const float* d_o = (const float*)g->d_o.data + at(&g->d_o, b, h, i);
  const float lse = a->lse[(b * a->heads + h) * a->queries + i];
  const float difference = dot(d_o, (const float*)a->o.data + at(&a->o, b, h, i), a->value_size);
  float* dq = (float*)g->dq.data + at(&g->dq, b, h, i);
  for (size_t j = 0; j < a->keys; ++j) {
    const float* k = (const float*)a->k.data + at(&a->k, b, group, j);
    const float* v = (const float*)a->v.data + at(&a->v, b, group, j);
    float *dk = (float*)g->dk.data + at(&g->dk, b, group, j), *dv = (float*)g->dv.data + at(&g->dv, b, group, j);
    float x, slope, weight, d_score;
    if (!keeps(a, b, h, i, j)) continue;
    x = score(a, b, h, i, j, &slope);
    if (x == -INFINITY) continue; /* its bias removes the key */
    weight = expf(x - lse);
    d_score = a->scale * (weight * (dot(d_o, v, a->value_size) - difference) * slope);
    for (size_t e = 0; e < a->head_size; ++e) dq[e] += d_score * k[e];
    for (size_t e = 0; e < a->head_size; ++e) dk[e] += d_score * q[e];
    for (size_t c = 0; c < a->value_size; ++c) dv[c] += weight * d_o[c];
  }
  if (g->dsinks != NULL && lse != -INFINITY) g->dsinks[h] -= expf(a->sinks[h] - lse) * difference;
}

static attncert_attention_status run_backward(const attncert_attention_arguments* a,
                                              const attncert_attention_gradients* g) {
  zero(&g->dq, a->batches, a->heads, a->queries, a->head_size);
  zero(&g->dk, a->batches, a->kv_heads, a->keys, a->head_size);
  zero(&g->dv, a->batches, a->kv_heads, a->keys, a->value_size);
  if (g->dsinks != NULL) memset(g->dsinks, 0, a->heads * sizeof(float));
  for (size_t b = 0; b < a->batches; ++b)
    for (size_t h = 0; h < a->heads; ++h)
      for (size_t i = 0; i < a->queries; ++i) row_backward(a, g, b, h, i);
  return ATTNCERT_ATTENTION_OK;
}

static const attncert_attention_kernel plain = {
    ATTNCERT_ATTENTION_ABI,
    sizeof(attncert_attention_kernel),
    "plain-attention.f32",
    "f32",
    "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,batches,nan-padding,value-size,empty-rows",
    ATTNCERT_F32,
    ATTNCERT_F32,
    64,
    0,
    run,
    run_backward,
    ATTNCERT_F32};

const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const attncert_attention_kernel* const kernels[] = {&plain};
  *count = 1;
  return kernels;
}
