/* SPDX-License-Identifier: MIT
 * Attention in plain C, block by block with a running maximum, as a library that attncert judges:
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

static float score(const attncert_attention_arguments* a, size_t b, size_t h, size_t i, size_t j) {
  const float* q = (const float*)a->q.data + at(&a->q, b, h, i);
  const float* k = (const float*)a->k.data + at(&a->k, b, h / (a->heads / a->kv_heads), j);
  float dot = 0, x;
  for (size_t e = 0; e < a->head_size; ++e) dot += q[e] * k[e];
  x = a->scale * dot;
  if (a->softcap > 0) x = a->softcap * tanhf(x / a->softcap);
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
      scores[n] = keeps(a, b, h, i, first + n) ? score(a, b, h, i, first + n) : -INFINITY;
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

static const attncert_attention_kernel plain = {
    ATTNCERT_ATTENTION_ABI,
    sizeof(attncert_attention_kernel),
    "plain-attention.f32",
    "f32",
    "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,nan-padding",
    ATTNCERT_F32,
    ATTNCERT_F32,
    64,
    0,
    run};

const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const attncert_attention_kernel* const kernels[] = {&plain};
  *count = 1;
  return kernels;
}
