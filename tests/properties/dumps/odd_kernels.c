/* Attention kernels that compute rightly, by doubles, and misbehave in one way each; the first does not. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

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
      o[c] = (float)(sum / (kept == 0 && empty == mean_value ? (double)a->keys : total));
    }
    a->lse[r] = (float)(largest + log(total));
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

static attncert_attention_status leaves_the_last_value(const attncert_attention_arguments* a) {
  attention(a, a->value_size - 1);
  return ATTNCERT_ATTENTION_OK;
}

/* Behind the last row, or between rows where these are apart. */
static attncert_attention_status writes_one_value_more(const attncert_attention_arguments* a) {
  well(a);
  ((float*)a->o.data)[a->value_size + (a->batches * a->heads * a->queries - 1) * a->o.row_stride] = 1;
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status scales_q(const attncert_attention_arguments* a) {
  ((float*)a->q.data)[0] *= a->scale;
  return well(a);
}

static attncert_attention_status reads_one_key_more(const attncert_attention_arguments* a) {
  static volatile float sink;
  for (size_t n = 0; n < 4096; ++n) sink = ((const float*)a->k.data)[a->kv_heads * a->keys * a->k.row_stride + n];
  (void)sink;
  return well(a);
}

/* Right within its class, whatever the removed keys hold: only that they are read shows. */
static attncert_attention_status minds_removed_keys(const attncert_attention_arguments* a) {
  attention_from(a, a->value_size, of_all_keys, of_nothing);
  return ATTNCERT_ATTENTION_OK;
}

/* Right: what a row without a key holds is a matter of contract. */
static attncert_attention_status fills_empty_rows(const attncert_attention_arguments* a) {
  attention_from(a, a->value_size, of_kept_keys, mean_value);
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status varies(const attncert_attention_arguments* a) {
  static int calls;
  well(a);
  if (++calls % 2 == 0) ((float*)a->o.data)[0] = nextafterf(((float*)a->o.data)[0], INFINITY);
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status declines(const attncert_attention_arguments* a) {
  return a->keys > 60 ? ATTNCERT_ATTENTION_DECLINED : well(a);
}

static attncert_attention_status declines_late(const attncert_attention_arguments* a) {
  well(a);
  return ATTNCERT_ATTENTION_DECLINED;
}

static attncert_attention_status hangs_at_4096_keys(const attncert_attention_arguments* a) {
  if (a->keys == 4096) sleep(1000);
  return well(a);
}

static attncert_attention_status aborts_at_4096_keys(const attncert_attention_arguments* a) {
  if (a->keys == 4096) abort();
  return well(a);
}

#define NAMED(name, features, function)                                                                              \
  {                                                                                                                  \
    ATTNCERT_ATTENTION_ABI, sizeof(attncert_attention_kernel), name, "f32", features, ATTNCERT_F32, ATTNCERT_F32, 4, \
        0, function                                                                                                  \
  }
#define KERNEL(function) NAMED(#function, "", function)

static const attncert_attention_kernel all[] = {
    KERNEL(well),
    KERNEL(leaves_the_last_value),
    KERNEL(writes_one_value_more),
    KERNEL(scales_q),
    KERNEL(reads_one_key_more),
    KERNEL(varies),
    KERNEL(declines),
    KERNEL(declines_late),
    KERNEL(hangs_at_4096_keys),
    KERNEL(aborts_at_4096_keys),
    NAMED("well_with_lengths", "lengths", well),
    NAMED("minds_removed_keys", "lengths", minds_removed_keys),
    NAMED("fills_empty_rows", "lengths,causal", fills_empty_rows),
    {ATTNCERT_ATTENTION_ABI, sizeof(attncert_attention_kernel), "varies_and_says_so", "f32", "", ATTNCERT_F32,
     ATTNCERT_F32, 4, ATTNCERT_ATTENTION_VARIES, varies}};

const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const attncert_attention_kernel* pointers[sizeof all / sizeof all[0]];
  *count = sizeof all / sizeof all[0];
  for (size_t n = 0; n < *count; ++n) pointers[n] = &all[n];
  return pointers;
}
