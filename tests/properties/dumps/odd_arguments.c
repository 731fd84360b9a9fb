/* The attention of examples/c-attention, given other arguments than its caller's: each kernel takes one of them for
 * granted, as one does that was only ever called with what is customary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attncert/attention.h"

typedef attncert_attention_arguments Arguments;
typedef attncert_attention_gradients Gradients;
typedef attncert_attention_status Status;

/* What the example exports under its own name elsewhere (CMakeLists.txt). */
const attncert_attention_kernel* const* kernels_of_the_example(size_t* count);

/* Forward, and where there are gradients backward. */
static Status called(const Arguments* a, const Gradients* g) {
  size_t count;
  const attncert_attention_kernel* const example = kernels_of_the_example(&count)[0];
  return g == NULL ? example->run(a) : example->run_backward(a, g);
}

#define BOTH_PASSES(name)                                                 \
  static Status name##_forward(const Arguments* a) {                      \
    Arguments other = *a;                                                 \
    return name(a, &other, NULL);                                         \
  }                                                                       \
  static Status name##_backward(const Arguments* a, const Gradients* g) { \
    Arguments other = *a;                                                 \
    return name(a, &other, g);                                            \
  }

static Status well(const Arguments* a, Arguments* other, const Gradients* g) {
  (void)other;
  return called(a, g);
}
BOTH_PASSES(well)

static Status knows_one_scale(const Arguments* a, Arguments* other, const Gradients* g) {
  other->scale = 1 / sqrtf((float)a->head_size);
  return called(other, g);
}
BOTH_PASSES(knows_one_scale)

static Status scales_back_by_size(const Arguments* a, Arguments* other, const Gradients* g) {
  return g == NULL ? called(a, g) : knows_one_scale(a, other, g);
}
BOTH_PASSES(scales_back_by_size)

/* Of a call with what it does not declare it computes the rest. */
static Status ignores_options(const Arguments* a, Arguments* other, const Gradients* g) {
  (void)a;
  other->flags = 0;
  other->window = 0;
  other->softcap = 0;
  other->mask.data = other->bias.data = NULL;
  other->sinks = other->slopes = NULL;
  other->lengths = NULL;
  if (g == NULL) return called(other, NULL);
  Gradients without_sinks = *g;
  without_sinks.dsinks = NULL;
  return called(other, &without_sinks);
}
BOTH_PASSES(ignores_options)

static Status declines_options(const Arguments* a, Arguments* other, const Gradients* g) {
  const int any = a->flags != 0 || a->window != 0 || a->softcap > 0 || a->mask.data != NULL || a->bias.data != NULL ||
                  a->sinks != NULL || a->slopes != NULL || a->lengths != NULL;
  (void)other;
  return any ? ATTNCERT_ATTENTION_DECLINED : called(a, g);
}
BOTH_PASSES(declines_options)

static Status knows_one_offset(const Arguments* a, Arguments* other, const Gradients* g) {
  other->causal_offset = (int64_t)a->keys - (int64_t)a->queries;
  return called(other, g);
}
BOTH_PASSES(knows_one_offset)

static Status reads_one_bias(const Arguments* a, Arguments* other, const Gradients* g) {
  (void)a;
  other->bias.head_stride = other->bias.batch_stride = 0;
  return called(other, g);
}
BOTH_PASSES(reads_one_bias)

static Status reads_biases_of_a_batch(const Arguments* a, Arguments* other, const Gradients* g) {
  (void)a;
  other->bias.batch_stride = 0;
  return called(other, g);
}
BOTH_PASSES(reads_biases_of_a_batch)

static Status reads_one_mask(const Arguments* a, Arguments* other, const Gradients* g) {
  (void)a;
  other->mask.head_stride = other->mask.batch_stride = 0;
  return called(other, g);
}
BOTH_PASSES(reads_one_mask)

/* Where heads follow on one another. */
static void place(attncert_tensor* t, size_t heads, size_t rows) {
  t->head_stride = rows * t->row_stride;
  t->batch_stride = heads * t->head_stride;
}

static Status places_o_by_rows(const Arguments* a, Arguments* other, const Gradients* g) {
  place(&other->o, a->heads, a->queries);
  return called(g == NULL ? other : a, g);
}
BOTH_PASSES(places_o_by_rows)

static Status reads_its_gradient_by_rows(const Arguments* a, Arguments* other, const Gradients* g) {
  Gradients placed;
  (void)other;
  if (g == NULL) return called(a, g);
  placed = *g;
  place(&placed.d_o, a->heads, a->queries);
  return called(a, &placed);
}
BOTH_PASSES(reads_its_gradient_by_rows)

static size_t at(const attncert_tensor* t, size_t b, size_t h, size_t row) {
  return b * t->batch_stride + h * t->head_stride + row * t->row_stride;
}

/* Entries of a tensor of f32, or of a mask, that may be changed; the caller frees them. */
static void* copied(const attncert_tensor* t, size_t batches, size_t heads, size_t rows, size_t size, size_t bytes,
                    size_t known_batches, size_t known_heads, attncert_tensor* to) {
  char* data = (char*)malloc(batches * heads * rows * size * bytes);
  *to = (attncert_tensor){data, heads * rows * size, rows * size, size};
  for (size_t b = 0; b < batches; ++b)
    for (size_t h = 0; h < heads; ++h)
      for (size_t r = 0; r < rows; ++r)
        memcpy(data + at(to, b, h, r) * bytes,
               (const char*)t->data + at(t, b % known_batches, h % known_heads, r) * bytes, size * bytes);
  return data;
}

static Status keeps_by_a_byte_of_1(const Arguments* a, Arguments* other, const Gradients* g) {
  uint8_t* mask;
  Status status;
  if (a->mask.data == NULL) return called(a, g);
  mask = (uint8_t*)copied(&a->mask, a->batches, a->heads, a->queries, a->keys, 1, a->batches, a->heads, &other->mask);
  for (size_t n = 0; n < a->batches * a->heads * a->queries * a->keys; ++n) mask[n] = mask[n] == 1;
  status = called(other, g);
  free(mask);
  return status;
}
BOTH_PASSES(keeps_by_a_byte_of_1)

/* As where a maximum of -inf is subtracted from itself. */
static Status has_nan_of_a_bias(const Arguments* a, Arguments* other, const Gradients* g) {
  float* bias;
  Status status;
  if (a->bias.data == NULL) return called(a, g);
  bias = (float*)copied(&a->bias, a->batches, a->heads, a->queries, a->keys, 4, a->batches, a->heads, &other->bias);
  for (size_t n = 0; n < a->batches * a->heads * a->queries * a->keys; ++n) bias[n] = bias[n] + 0 * bias[n];
  status = called(other, g);
  free(bias);
  return status;
}
BOTH_PASSES(has_nan_of_a_bias)

#define MOST_HEADS 64

static Status has_nan_of_a_sink(const Arguments* a, Arguments* other, const Gradients* g) {
  float sinks[MOST_HEADS];
  for (size_t h = 0; a->sinks != NULL && h < a->heads; ++h) sinks[h] = a->sinks[h] + 0 * a->sinks[h];
  if (a->sinks != NULL) other->sinks = sinks;
  return called(other, g);
}
BOTH_PASSES(has_nan_of_a_sink)

static Status has_two_sinks(const Arguments* a, Arguments* other, const Gradients* g) {
  float sinks[MOST_HEADS];
  for (size_t h = 0; a->sinks != NULL && h < a->heads; ++h) sinks[h] = a->sinks[h % 2];
  if (a->sinks != NULL) other->sinks = sinks;
  return called(other, g);
}
BOTH_PASSES(has_two_sinks)

static Status has_two_slopes(const Arguments* a, Arguments* other, const Gradients* g) {
  float slopes[MOST_HEADS];
  for (size_t h = 0; a->slopes != NULL && h < a->heads; ++h) slopes[h] = a->slopes[h % 2];
  if (a->slopes != NULL) other->slopes = slopes;
  return called(other, g);
}
BOTH_PASSES(has_two_slopes)

static Status counts_lengths_in_a_byte(const Arguments* a, Arguments* other, const Gradients* g) {
  size_t lengths[MOST_HEADS];
  for (size_t b = 0; a->lengths != NULL && b < a->batches; ++b) lengths[b] = a->lengths[b] & 0xff;
  if (a->lengths != NULL) other->lengths = lengths;
  return called(other, g);
}
BOTH_PASSES(counts_lengths_in_a_byte)

static Status counts_windows_in_a_byte(const Arguments* a, Arguments* other, const Gradients* g) {
  other->window = a->window & 0xff;
  return called(other, g);
}
BOTH_PASSES(counts_windows_in_a_byte)

/* Of unscaled scores the pivot is the largest, of those that a negative scale makes the least: e^x in its units may be
 * beyond f32. */
static Status takes_its_pivot_unscaled(const Arguments* a, Arguments* other, const Gradients* g) {
  const Status status = called(a, g);
  (void)other;
  for (size_t h = 0; g == NULL && h < a->heads; ++h)
    for (size_t i = 0; i < a->queries; ++i) {
      const float* const q = (const float*)a->q.data + at(&a->q, 0, h, i);
      float most = -INFINITY, least = INFINITY, overflow;
      for (size_t j = 0; j < a->keys; ++j) {
        const float* const k = (const float*)a->k.data + at(&a->k, 0, h * a->kv_heads / a->heads, j);
        float score = 0;
        for (size_t e = 0; e < a->head_size; ++e) score += q[e] * k[e];
        most = fmaxf(most, score);
        least = fminf(least, score);
      }
      overflow = expf(a->scale * (a->scale < 0 ? least - most : 0));
      for (size_t c = 0; c < a->value_size; ++c) {
        float* const o = (float*)a->o.data + at(&a->o, 0, h, i) + c;
        *o = *o * overflow / overflow;
      }
    }
  return status;
}
BOTH_PASSES(takes_its_pivot_unscaled)

/* Forward; four of both are more than other groups have. */
static Status has_four_kv_heads(const Arguments* a) {
  Arguments other = *a;
  float* k = (float*)copied(&a->k, a->batches, a->kv_heads, a->keys, a->head_size, 4, a->batches, 4, &other.k);
  float* v = (float*)copied(&a->v, a->batches, a->kv_heads, a->keys, a->value_size, 4, a->batches, 4, &other.v);
  const Status status = called(&other, NULL);
  free(k);
  free(v);
  return status;
}

static Status has_four_batches(const Arguments* a) {
  Arguments other = *a;
  float* q = (float*)copied(&a->q, a->batches, a->heads, a->queries, a->head_size, 4, 4, a->heads, &other.q);
  const Status status = called(&other, NULL);
  free(q);
  return status;
}

/* As where one query, groups of heads or batches have code of their own, and where one feature replaces another. */
static Status forgets_windows_of_one_query(const Arguments* a, Arguments* other, const Gradients* g) {
  if (a->queries == 1) other->window = 0;
  return called(other, g);
}
BOTH_PASSES(forgets_windows_of_one_query)

static Status forgets_lengths_beside_windows(const Arguments* a, Arguments* other, const Gradients* g) {
  if (a->window != 0) other->lengths = NULL;
  return called(other, g);
}
BOTH_PASSES(forgets_lengths_beside_windows)

static Status forgets_diagonals_of_large_groups(const Arguments* a, Arguments* other, const Gradients* g) {
  if (a->heads / a->kv_heads > 2) other->flags &= ~ATTNCERT_CAUSAL;
  return called(other, g);
}
BOTH_PASSES(forgets_diagonals_of_large_groups)

static Status forgets_softcaps_of_batches(const Arguments* a, Arguments* other, const Gradients* g) {
  if (a->batches > 1) other->softcap = 0;
  return called(other, g);
}
BOTH_PASSES(forgets_softcaps_of_batches)

#define DESCRIBED(name, features, forward, backward)                                                                 \
  {                                                                                                                  \
    ATTNCERT_ATTENTION_ABI, sizeof(attncert_attention_kernel), name, "f32", features, ATTNCERT_F32, ATTNCERT_F32, 4, \
        0, forward, backward, ATTNCERT_F32                                                                           \
  }
#define KERNEL(name, features) DESCRIBED(#name, features, name##_forward, name##_backward)

static const attncert_attention_kernel all[] = {
    KERNEL(well, "causal,window,mask,bias,sinks,slopes,lengths,heads,batches"),
    KERNEL(knows_one_scale, ""),
    KERNEL(scales_back_by_size, ""),
    KERNEL(ignores_options, ""),
    KERNEL(declines_options, ""),
    KERNEL(takes_its_pivot_unscaled, ""),
    KERNEL(knows_one_offset, "causal"),
    KERNEL(places_o_by_rows, ""),
    KERNEL(reads_its_gradient_by_rows, ""),
    KERNEL(reads_one_bias, "bias"),
    KERNEL(reads_biases_of_a_batch, "bias,batches"),
    KERNEL(reads_one_mask, "mask"),
    KERNEL(keeps_by_a_byte_of_1, "mask"),
    KERNEL(has_nan_of_a_bias, "bias"),
    KERNEL(has_nan_of_a_sink, "sinks"),
    KERNEL(has_two_sinks, "sinks"),
    KERNEL(has_two_slopes, "slopes"),
    KERNEL(counts_lengths_in_a_byte, "lengths"),
    KERNEL(counts_windows_in_a_byte, "window"),
    KERNEL(forgets_windows_of_one_query, "window"),
    KERNEL(forgets_lengths_beside_windows, "lengths,window"),
    KERNEL(forgets_diagonals_of_large_groups, "causal,heads"),
    KERNEL(forgets_softcaps_of_batches, "batches,softcap"),
    DESCRIBED("has_four_kv_heads", "heads", has_four_kv_heads, NULL),
    DESCRIBED("has_four_batches", "batches", has_four_batches, NULL)};

const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const attncert_attention_kernel* pointers[sizeof all / sizeof all[0]];
  *count = sizeof all / sizeof all[0];
  for (size_t n = 0; n < *count; ++n) pointers[n] = &all[n];
  return pointers;
}
