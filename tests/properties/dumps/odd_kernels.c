/* Attention kernels that compute rightly, by doubles, and misbehave in one way each; the first does not. */
#include <fenv.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/properties/dumps/odd_attention.h"

static attncert_attention_status leaves_the_last_value(const attncert_attention_arguments* a) {
  attention(a, a->value_size - 1);
  return ATTNCERT_ATTENTION_OK;
}

static float* first_of_row(const attncert_attention_arguments* a, size_t r) {
  const size_t b = r / (a->heads * a->queries), h = r / a->queries % a->heads, i = r % a->queries;
  return (float*)a->o.data + b * a->o.batch_stride + h * a->o.head_stride + i * a->o.row_stride;
}

/* Behind the last row, or between rows where these are apart. */
static attncert_attention_status writes_one_value_more(const attncert_attention_arguments* a) {
  well(a);
  first_of_row(a, a->batches * a->heads * a->queries - 1)[a->value_size] = 1;
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status needs_lse(const attncert_attention_arguments* a) {
  well(a);
  *(volatile float*)a->lse = a->lse[0];
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status wrong_without_lse(const attncert_attention_arguments* a) {
  well(a);
  if (a->lse == NULL) *first_of_row(a, 0) += 1;
  return ATTNCERT_ATTENTION_OK;
}

/* NaN is what the row is to hold, and what it held. */
static attncert_attention_status leaves_rows_of_nan(const attncert_attention_arguments* a) {
  const size_t rows = a->batches * a->heads * a->queries;
  float* held = (float*)malloc(rows * sizeof(float));
  for (size_t r = 0; r < rows; ++r) held[r] = *first_of_row(a, r);
  well(a);
  for (size_t r = 0; r < rows; ++r)
    if (isnan(*first_of_row(a, r))) *first_of_row(a, r) = held[r];
  free(held);
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

/* Right where removed values are finite: it multiplies them by 0. */
static attncert_attention_status multiplies_removed_values(const attncert_attention_arguments* a) {
  well(a);
  for (size_t b = 0; a->lengths != NULL && b < a->batches; ++b)
    for (size_t j = a->lengths[b]; j < a->keys; ++j)
      ((float*)a->o.data)[b * a->o.batch_stride] +=
          0 * ((const float*)a->v.data)[b * a->v.batch_stride + j * a->v.row_stride];
  return ATTNCERT_ATTENTION_OK;
}

/* As where exponentials are kept in a range by a maximum that a NaN does not pass. */
static attncert_attention_status loses_nan(const attncert_attention_arguments* a) {
  well(a);
  for (size_t r = 0; r < a->batches * a->heads * a->queries; ++r) {
    float* o = first_of_row(a, r);
    for (size_t c = 0; c < a->value_size; ++c)
      if (isnan(o[c])) o[c] = 0;
    if (a->lse != NULL && isnan(a->lse[r])) a->lse[r] = 0;
  }
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

/* Values are packed once for the addresses of k and v, as weights would be. */
static attncert_attention_status remembers_values(const attncert_attention_arguments* a) {
  static const void *of, *with;
  static float* packed;
  const size_t count = (a->batches - 1) * a->v.batch_stride + (a->kv_heads - 1) * a->v.head_stride +
                       (a->keys - 1) * a->v.row_stride + a->value_size;
  if (of != a->v.data || with != a->k.data) {
    free(packed);
    packed = (float*)malloc(count * sizeof(float));
    for (size_t n = 0; n < count; ++n) packed[n] = ((const float*)a->v.data)[n];
    of = a->v.data, with = a->k.data;
  }
  attncert_attention_arguments packed_call = *a;
  packed_call.v.data = packed;
  return well(&packed_call);
}

/* As if threads shared scratch: a call that meets another spoils a value, and no pointer of either. */
static attncert_attention_status shares_its_scratch(const attncert_attention_arguments* a) {
  static atomic_int inside;
  bool met = atomic_fetch_add(&inside, 1) > 0;
  usleep(200);
  met |= atomic_load(&inside) > 1;
  well(a);
  if (met) ((float*)a->o.data)[0] += 1;
  atomic_fetch_sub(&inside, 1);
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status aborts_beside_others(const attncert_attention_arguments* a) {
  static atomic_int inside;
  if (atomic_fetch_add(&inside, 1) > 0) abort();
  usleep(200);
  atomic_fetch_sub(&inside, 1);
  return well(a);
}

/* The tiles that lengths leave are planned once for the addresses of lengths and k. */
static attncert_attention_status remembers_lengths(const attncert_attention_arguments* a) {
  static const void *of, *with;
  static size_t planned[16];
  if (a->lengths == NULL || a->batches > 16) return well(a);
  if (of != a->lengths || with != a->k.data)
    for (size_t b = 0; b < a->batches; ++b) planned[b] = a->lengths[b];
  of = a->lengths, with = a->k.data;
  attncert_attention_arguments planned_call = *a;
  planned_call.lengths = planned;
  return well(&planned_call);
}

static attncert_attention_status varies_and_is_wrong(const attncert_attention_arguments* a) {
  varies(a);
  ((float*)a->o.data)[a->value_size - 1] += 1;
  return ATTNCERT_ATTENTION_OK;
}

/* Right in other bits: as where another loop serves a single query or batch, or parts are made of all keys. */
static attncert_attention_status right_otherwise(const attncert_attention_arguments* a, bool otherwise) {
  well(a);
  for (size_t r = 0; otherwise && r < a->batches * a->heads * a->queries; ++r)
    *first_of_row(a, r) = nextafterf(*first_of_row(a, r), INFINITY);
  return ATTNCERT_ATTENTION_OK;
}
static attncert_attention_status minds_queries(const attncert_attention_arguments* a) {
  return right_otherwise(a, a->queries == 1);
}
static attncert_attention_status minds_batches(const attncert_attention_arguments* a) {
  return right_otherwise(a, a->batches == 1);
}
static attncert_attention_status minds_padding(const attncert_attention_arguments* a) {
  return right_otherwise(a, a->lengths != NULL && a->lengths[0] < a->keys);
}

static attncert_attention_status leaves_rounding_upward(const attncert_attention_arguments* a) {
  well(a);
  fesetround(FE_UPWARD);
  return ATTNCERT_ATTENTION_OK;
}

static attncert_attention_status takes_random_numbers(const attncert_attention_arguments* a) {
  rand();
  return well(a);
}

static attncert_attention_status moves(const attncert_attention_arguments* a) {
  return chdir("/") == 0 ? well(a) : ATTNCERT_ATTENTION_NO_RESOURCES;
}

static attncert_attention_status prints(const attncert_attention_arguments* a) {
  puts("a warning\nand more");
  return well(a);
}

/* What it has taken is within reach still, as in a list that nobody empties. */
static attncert_attention_status keeps_memory(const attncert_attention_arguments* a) {
  static void* list;
  void** const entry = (void**)malloc(100);
  *entry = list;
  list = entry;
  return well(a);
}

/* So seldom that no limit of the process is met. */
static attncert_attention_status keeps_descriptors(const attncert_attention_arguments* a) {
  static atomic_int calls;
  if (atomic_fetch_add(&calls, 1) % 20 == 0) dup(STDIN_FILENO);
  return well(a);
}

static attncert_attention_status fails_at_last(const attncert_attention_arguments* a) {
  static atomic_int calls;
  return atomic_fetch_add(&calls, 1) < 1000 ? well(a) : ATTNCERT_ATTENTION_NO_RESOURCES;
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
  if (a->keys == 4096) {
    fputs("too many keys\n", stderr);
    abort();
  }
  return well(a);
}

#define FLAGGED(name, features, flags, function)                                                                     \
  {                                                                                                                  \
    ATTNCERT_ATTENTION_ABI, sizeof(attncert_attention_kernel), name, "f32", features, ATTNCERT_F32, ATTNCERT_F32, 4, \
        flags, function, NULL, 0                                                                                     \
  }
#define NAMED(name, features, function) FLAGGED(name, features, 0, function)
#define KERNEL(function) NAMED(#function, "", function)

static const attncert_attention_kernel all[] = {
    KERNEL(well),
    KERNEL(leaves_the_last_value),
    KERNEL(writes_one_value_more),
    KERNEL(scales_q),
    KERNEL(needs_lse),
    KERNEL(wrong_without_lse),
    NAMED("leaves_rows_of_nan", "propagates-nan", leaves_rows_of_nan),
    KERNEL(reads_one_key_more),
    KERNEL(varies),
    KERNEL(remembers_values),
    KERNEL(shares_its_scratch),
    KERNEL(aborts_beside_others),
    KERNEL(varies_and_is_wrong),
    NAMED("remembers_lengths", "lengths", remembers_lengths),
    KERNEL(minds_queries),
    NAMED("minds_batches", "batches", minds_batches),
    NAMED("minds_padding", "lengths", minds_padding),
    KERNEL(leaves_rounding_upward),
    KERNEL(takes_random_numbers),
    KERNEL(moves),
    KERNEL(prints),
    KERNEL(keeps_memory),
    KERNEL(keeps_descriptors),
    KERNEL(fails_at_last),
    KERNEL(declines),
    KERNEL(declines_late),
    KERNEL(hangs_at_4096_keys),
    KERNEL(aborts_at_4096_keys),
    NAMED("well_with_lengths", "lengths", well),
    NAMED("minds_removed_keys", "lengths", minds_removed_keys),
    NAMED("multiplies_removed_values", "lengths", multiplies_removed_values),
    NAMED("multiplies_removed_nan", "lengths,nan-padding", multiplies_removed_values),
    FLAGGED("varies_and_multiplies_removed_nan", "lengths,nan-padding", ATTNCERT_ATTENTION_VARIES,
            multiplies_removed_values),
    NAMED("propagates_nan", "propagates-nan", well),
    NAMED("loses_nan", "propagates-nan", loses_nan),
    NAMED("fills_empty_rows", "lengths,causal", fills_empty_rows),
    FLAGGED("varies_and_says_so", "", ATTNCERT_ATTENTION_VARIES, varies),
    FLAGGED("shares_and_says_so", "", ATTNCERT_ATTENTION_ONE_AT_A_TIME, shares_its_scratch)};

const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const attncert_attention_kernel* pointers[sizeof all / sizeof all[0]];
  *count = sizeof all / sizeof all[0];
  for (size_t n = 0; n < *count; ++n) pointers[n] = &all[n];
  return pointers;
}
