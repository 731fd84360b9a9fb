/* Backward passes that compute rightly, by doubles, and misbehave in one way each; the first does not. */
#include <stddef.h>

#include "tests/properties/dumps/odd_attention.h"

/* Adds what one row brings to dk and dv, and writes its dq. */
static void row_backward(const attncert_attention_arguments* a, const attncert_attention_gradients* g, size_t b,
                         size_t h, size_t i) {
  const size_t n = h / (a->heads / a->kv_heads), size = a->head_size;
  const float* q = (const float*)a->q.data + b * a->q.batch_stride + h * a->q.head_stride + i * a->q.row_stride;
  const float* d_o =
      (const float*)g->d_o.data + b * g->d_o.batch_stride + h * g->d_o.head_stride + i * g->d_o.row_stride;
  const float* o = (const float*)a->o.data + b * a->o.batch_stride + h * a->o.head_stride + i * a->o.row_stride;
  float* dq = (float*)g->dq.data + b * g->dq.batch_stride + h * g->dq.head_stride + i * g->dq.row_stride;
  double d = 0;
  for (size_t c = 0; c < a->value_size; ++c) d += (double)d_o[c] * (double)o[c];
  for (size_t e = 0; e < size; ++e) dq[e] = 0;
  for (size_t j = 0; j < a->keys && (a->lengths == NULL || j < a->lengths[b]); ++j) {
    const float* k = (const float*)a->k.data + b * a->k.batch_stride + n * a->k.head_stride + j * a->k.row_stride;
    const float* v = (const float*)a->v.data + b * a->v.batch_stride + n * a->v.head_stride + j * a->v.row_stride;
    float* dk = (float*)g->dk.data + b * g->dk.batch_stride + n * g->dk.head_stride + j * g->dk.row_stride;
    float* dv = (float*)g->dv.data + b * g->dv.batch_stride + n * g->dv.head_stride + j * g->dv.row_stride;
    double x = 0, p, dp = -d;
    for (size_t e = 0; e < size; ++e) x += (double)q[e] * (double)k[e];
    for (size_t c = 0; c < a->value_size; ++c) dp += (double)d_o[c] * (double)v[c];
    p = exp(x * (double)a->scale - (double)a->lse[(b * a->heads + h) * a->queries + i]);
    for (size_t e = 0; e < size; ++e) dq[e] += (float)((double)a->scale * p * dp * (double)k[e]);
    for (size_t e = 0; e < size; ++e) dk[e] += (float)((double)a->scale * p * dp * (double)q[e]);
    for (size_t c = 0; c < a->value_size; ++c) dv[c] += (float)(p * (double)d_o[c]);
  }
}

static void zero(const attncert_tensor* t, size_t batches, size_t heads, size_t rows, size_t size) {
  for (size_t r = 0; r < batches * heads * rows; ++r) {
    const size_t b = r / (heads * rows), h = r / rows % heads, i = r % rows;
    float* row = (float*)t->data + b * t->batch_stride + h * t->head_stride + i * t->row_stride;
    for (size_t e = 0; e < size; ++e) row[e] = 0;
  }
}

static attncert_attention_status adds_to_what_is_there(const attncert_attention_arguments* a,
                                                       const attncert_attention_gradients* g) {
  for (size_t b = 0; b < a->batches; ++b)
    for (size_t h = 0; h < a->heads; ++h)
      for (size_t i = 0; i < a->queries; ++i) row_backward(a, g, b, h, i);
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status well_back(const attncert_attention_arguments* a,
                                           const attncert_attention_gradients* g) {
  zero(&g->dk, a->batches, a->kv_heads, a->keys, a->head_size);
  zero(&g->dv, a->batches, a->kv_heads, a->keys, a->value_size);
  return adds_to_what_is_there(a, g);
}

static attncert_attention_status writes_into_o(const attncert_attention_arguments* a,
                                               const attncert_attention_gradients* g) {
  ((float*)a->o.data)[0] = 0;
  return well_back(a, g);
}

static attncert_attention_status writes_one_key_more(const attncert_attention_arguments* a,
                                                     const attncert_attention_gradients* g) {
  well_back(a, g);
  ((float*)g->dv.data)[a->batches * g->dv.batch_stride] = 0;
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status varies_back(const attncert_attention_arguments* a,
                                             const attncert_attention_gradients* g) {
  static int calls;
  well_back(a, g);
  if (++calls % 2 == 0) ((float*)g->dk.data)[0] = nextafterf(((float*)g->dk.data)[0], INFINITY);
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status declines_back(const attncert_attention_arguments* a,
                                               const attncert_attention_gradients* g) {
  return a->keys > 60 ? ATTNCERT_ATTENTION_DECLINED : well_back(a, g);
}

static attncert_attention_status declines_late_back(const attncert_attention_arguments* a,
                                                    const attncert_attention_gradients* g) {
  well_back(a, g);
  return ATTNCERT_ATTENTION_DECLINED;
}

/* As where dO is packed once for its address. */
static attncert_attention_status remembers_output_gradients(const attncert_attention_arguments* a,
                                                            const attncert_attention_gradients* g) {
  static const void *of, *with;
  static float* packed;
  const size_t count = (a->batches - 1) * g->d_o.batch_stride + (a->heads - 1) * g->d_o.head_stride +
                       (a->queries - 1) * g->d_o.row_stride + a->value_size;
  if (of != g->d_o.data || with != a->k.data) {
    free(packed);
    packed = (float*)malloc(count * sizeof(float));
    for (size_t n = 0; n < count; ++n) packed[n] = ((const float*)g->d_o.data)[n];
    of = g->d_o.data, with = a->k.data;
  }
  attncert_attention_gradients packed_call = *g;
  packed_call.d_o.data = packed;
  return well_back(a, &packed_call);
}

/* A key behind the length changes dq by less than any bound. */
static attncert_attention_status minds_removed_keys_back(const attncert_attention_arguments* a,
                                                         const attncert_attention_gradients* g) {
  well_back(a, g);
  for (size_t b = 0; b < a->batches; ++b)
    if (a->lengths != NULL && a->lengths[b] > 0 && a->lengths[b] < a->keys) {
      const float removed = ((const float*)a->v.data)[b * a->v.batch_stride + a->lengths[b] * a->v.row_stride];
      float* dq = (float*)g->dq.data + b * g->dq.batch_stride;
      if (isfinite(removed)) dq[0] *= 1 + 1e-6f * fminf(fabsf(removed), 1);
    }
  return ATTNCERT_ATTENTION_OK;
}

/* Rows without a key keep whatever is in dq. */
static attncert_attention_status leaves_empty_rows(const attncert_attention_arguments* a,
                                                   const attncert_attention_gradients* g) {
  zero(&g->dk, a->batches, a->kv_heads, a->keys, a->head_size);
  zero(&g->dv, a->batches, a->kv_heads, a->keys, a->value_size);
  for (size_t b = 0; b < a->batches; ++b)
    for (size_t h = 0; h < a->heads; ++h)
      for (size_t i = 0; i < a->queries; ++i)
        if (a->lengths == NULL || a->lengths[b] > 0) row_backward(a, g, b, h, i);
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status base_2(const attncert_attention_arguments* a) {
  well(a);
  for (size_t r = 0; a->lse != NULL && r < a->batches * a->heads * a->queries; ++r)
    a->lse[r] = (float)((double)a->lse[r] / log(2));
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status leaves_a_value(const attncert_attention_arguments* a) {
  attention(a, a->value_size - 1);
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status varies_forward(const attncert_attention_arguments* a) {
  static int calls;
  well(a);
  if (++calls % 2 == 0) ((float*)a->o.data)[0] = nextafterf(((float*)a->o.data)[0], INFINITY);
  return ATTNCERT_ATTENTION_OK;
}

/* The first value is that of the last call with the same q, wherever k and v are. */
static attncert_attention_status remembers_forward(const attncert_attention_arguments* a) {
  static const void* of;
  static float kept;
  well(a);
  float* const first = (float*)a->o.data;
  if (of == a->q.data) *first = kept;
  of = a->q.data, kept = *first;
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status declines_all_back(const attncert_attention_arguments* a,
                                                   const attncert_attention_gradients* g) {
  (void)a;
  (void)g;
  return ATTNCERT_ATTENTION_DECLINED;
}

#define FLAGGED(name, features, flags, run, back)                                                                    \
  {                                                                                                                  \
    ATTNCERT_ATTENTION_ABI, sizeof(attncert_attention_kernel), name, "f32", features, ATTNCERT_F32, ATTNCERT_F32, 4, \
        flags, run, back, 0                                                                                          \
  }
#define BACKWARD(function)                                                                                             \
  {                                                                                                                    \
    ATTNCERT_ATTENTION_ABI, sizeof(attncert_attention_kernel), #function, "f32", "", ATTNCERT_F32, ATTNCERT_F32, 4, 0, \
        well, function, 0                                                                                              \
  }

static const attncert_attention_kernel all[] = {
    BACKWARD(well_back),
    BACKWARD(adds_to_what_is_there),
    BACKWARD(writes_into_o),
    BACKWARD(writes_one_key_more),
    BACKWARD(varies_back),
    BACKWARD(remembers_output_gradients),
    BACKWARD(declines_back),
    BACKWARD(declines_late_back),
    FLAGGED("well_with_lengths", "lengths,batches,empty-rows", 0, well, well_back),
    FLAGGED("minds_removed_keys_back", "lengths", 0, well, minds_removed_keys_back),
    FLAGGED("leaves_empty_rows", "lengths,batches,empty-rows", 0, well, leaves_empty_rows),
    FLAGGED("wrong_and_declines", "", 0, leaves_a_value, declines_all_back),
    FLAGGED("right_and_declines", "", 0, well, declines_all_back),
    FLAGGED("varies_and_declines", "", 0, varies_forward, declines_all_back),
    FLAGGED("remembers_and_declines", "", 0, remembers_forward, declines_all_back),
    FLAGGED("base_2", "", ATTNCERT_ATTENTION_LSE_BASE_2, base_2, NULL),
    FLAGGED("natural_as_base_2", "", ATTNCERT_ATTENTION_LSE_BASE_2, well, NULL),
    FLAGGED("no_lse", "", ATTNCERT_ATTENTION_NO_LSE, well, NULL),
    /* Of an author who knew no backward pass. */
    {ATTNCERT_ATTENTION_ABI, offsetof(attncert_attention_kernel, run_backward), "of_an_older_header", "f32", "",
     ATTNCERT_F32, ATTNCERT_F32, 4, 0, well, writes_into_o, 0}};

const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const attncert_attention_kernel* pointers[sizeof all / sizeof all[0]];
  *count = sizeof all / sizeof all[0];
  for (size_t n = 0; n < *count; ++n) pointers[n] = &all[n];
  return pointers;
}
