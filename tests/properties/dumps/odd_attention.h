/* What the attention kernels that misbehave compute: attention in doubles. */
#include <math.h>
#include <stdlib.h>

#include "attncert/attention.h"

/* What a pivot may be where nothing but kept keys is read, and where removed ones raise it by up to 1. */
enum pivot { of_kept_keys, of_all_keys };

enum empty_rows { of_nothing, mean_value };

static void attention_from(const attncert_attention_arguments* a, size_t values, enum pivot pivot,
                           enum empty_rows empty) {
  for (size_t r = 0; r < a->batches * a->heads * a->queries; ++r) {
    const size_t b = r / (a->heads * a->queries), h = r / a->queries % a->heads, i = r % a->queries;
    const float* q = (const float*)a->q.data + b * a->q.batch_stride + h * a->q.head_stride + i * a->q.row_stride;
    float* o = (float*)a->o.data + b * a->o.batch_stride + h * a->o.head_stride + i * a->o.row_stride;
    const size_t g = h / (a->heads / a->kv_heads);
    const float* k = (const float*)a->k.data + b * a->k.batch_stride + g * a->k.head_stride;
    const float* v = (const float*)a->v.data + b * a->v.batch_stride + g * a->v.head_stride;
    double* x = (double*)malloc(a->keys * sizeof(double));
    const int64_t end = (a->flags & ATTNCERT_CAUSAL) != 0 ? (int64_t)i + a->causal_offset + 1 : (int64_t)a->keys;
    size_t kept = a->lengths != NULL ? a->lengths[b] : a->keys;
    if (end < (int64_t)kept) kept = end < 0 ? 0 : (size_t)end;
    double largest = -INFINITY, removed = -INFINITY, total = 0;
    for (size_t j = 0; j < a->keys; ++j) {
      x[j] = 0;
      for (size_t e = 0; e < a->head_size; ++e) x[j] += (double)q[e] * (double)k[j * a->k.row_stride + e];
      x[j] *= (double)a->scale;
      if (j < kept && x[j] > largest) largest = x[j];
      if (j >= kept && x[j] > removed) removed = x[j];
    }
    if (pivot == of_all_keys && removed > largest) largest = fmin(removed, largest + 1);
    for (size_t j = 0; j < kept; ++j) total += x[j] = expf((float)(x[j] - largest));
    for (size_t c = 0; c < values; ++c) {
      double sum = 0;
      for (size_t j = 0; j < kept; ++j) sum += x[j] * (double)v[j * a->v.row_stride + c];
      if (kept == 0 && empty == mean_value)
        for (size_t j = 0; j < a->keys; ++j) sum += (double)v[j * a->v.row_stride + c];
      if (kept == 0) o[c] = empty == mean_value ? (float)(sum / (double)a->keys) : 0;
      else o[c] = (float)(sum / total);
    }
    if (a->lse != NULL) a->lse[r] = (float)(largest + log(total));
    free(x);
  }
}

static void attention(const attncert_attention_arguments* a, size_t values) {
  attention_from(a, values, of_kept_keys, of_nothing);
}

static attncert_attention_status well(const attncert_attention_arguments* a) {
  attention(a, a->value_size);
  return ATTNCERT_ATTENTION_OK;
}
