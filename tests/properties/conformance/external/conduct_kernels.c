/* Kernels whose single calls are right: what is wrong with them shows over many calls, on several threads or beside the
 * output. Behind them right ones that keep something too. All are softmax of f32 on the example's code. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attncert/kernel.h"
#include "tests/properties/conformance/external/descriptor.h"

const attncert_kernel* const* example_kernels(size_t* count); /* examples/c-kernel/softmax.c, renamed by the build */

static attncert_status right_softmax(const attncert_arguments* a) {
  size_t count = 0;
  return example_kernels(&count)[0]->run(a);
}

#define BODY(name) static attncert_status name(const attncert_arguments* a)

/* Whether there are rows to compute; all else is left to the right kernel. */
static int is_valid(const attncert_arguments* a) {
  if (a->size < sizeof *a || !(a->temperature > 0) || isinf(a->temperature) || a->rows * a->length == 0) return 0;
  if (a->input == NULL || a->output == NULL || a->upstream != NULL) return 0;
  return a->rows == 1 || (a->input_stride >= a->length && a->output_stride >= a->length &&
                          (a->mask == NULL || a->mask_stride >= a->length));
}

/* Softmax of dense rows in a buffer, then copied. */
static attncert_status through(const attncert_arguments* a, float* buffer) {
  attncert_arguments dense = *a;
  dense.output = buffer;
  dense.output_stride = a->length;
  const attncert_status status = right_softmax(&dense);
  for (size_t r = 0; status == ATTNCERT_OK && r < a->rows; ++r)
    memcpy((float*)a->output + r * a->output_stride, buffer + r * a->length, a->length * sizeof(float));
  return status;
}
static int fits(const attncert_arguments* a, size_t most) { return is_valid(a) && a->rows * a->length <= most; }

/* Threads */

static float shared_rows[1 << 15];
BODY(shares_its_scratch) { return fits(a, 1 << 15) ? through(a, shared_rows) : right_softmax(a); }

BODY(keeps_the_temperature_in_a_global) {
  static volatile double temperature;
  if (!is_valid(a)) return right_softmax(a);
  temperature = a->temperature;
  attncert_arguments one = *a;
  one.rows = 1;
  for (size_t r = 0; r < a->rows; ++r) {
    one.input = (const float*)a->input + r * a->input_stride;
    one.output = (float*)a->output + r * a->output_stride;
    if (a->mask != NULL) one.mask = a->mask + r * a->mask_stride;
    one.temperature = temperature;
    right_softmax(&one);
  }
  return ATTNCERT_OK;
}

static void scale(const attncert_arguments* a, float factor) {
  for (size_t r = 0; r < a->rows; ++r)
    for (size_t i = 0; i < a->length; ++i) ((float*)a->output)[r * a->output_stride + i] *= factor;
}

static _Thread_local float one_of_this_thread;
BODY(builds_its_table_on_the_first_thread) {
  static int built;
  if (!built) one_of_this_thread = 1, built = 1;
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK) scale(a, one_of_this_thread);
  return status;
}

BODY(calls_its_table_built_too_early) {
  static volatile int built;
  static volatile float one;
  if (!built) {
    built = 1;
    usleep(20000);
    one = 1;
  }
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK) scale(a, one);
  return status;
}

/* History */

BODY(remembers_rows_by_their_ends) { /* the result of the last row with this address, length, T and these ends */
  static _Thread_local struct {
    const void* input;
    size_t length;
    double temperature;
    float ends[2], row[4096];
  } last;
  if (!fits(a, 4096) || a->rows != 1 || a->mask != NULL) return right_softmax(a);
  const float* z = (const float*)a->input;
  if (last.input == z && last.length == a->length && last.temperature == a->temperature && last.ends[0] == z[0] &&
      last.ends[1] == z[a->length - 1]) {
    memcpy(a->output, last.row, a->length * sizeof(float));
    return ATTNCERT_OK;
  }
  const attncert_status status = right_softmax(a);
  last.input = z;
  last.length = a->length;
  last.temperature = a->temperature;
  last.ends[0] = z[0];
  last.ends[1] = z[a->length - 1];
  memcpy(last.row, a->output, a->length * sizeof(float));
  return status;
}

BODY(remembers_masks_by_address) { /* the mask of the last row with this address, length and first logit */
  static _Thread_local const uint8_t* address;
  static _Thread_local size_t length;
  static _Thread_local float first;
  static _Thread_local uint8_t mask[4096];
  if (!fits(a, 4096) || a->rows != 1 || a->mask == NULL) return right_softmax(a);
  const float z = *(const float*)a->input;
  if (a->mask != address || a->length != length || z != first) memcpy(mask, a->mask, a->length);
  first = z;
  address = a->mask;
  length = a->length;
  attncert_arguments remembered = *a;
  remembered.mask = mask;
  return right_softmax(&remembered);
}

BODY(fails_every_8192nd_time) {
  static unsigned calls;
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 8192 == 0) scale(a, 0.5f);
  return status;
}

/* Growth */

static void* volatile kept;
BODY(leaks_memory) {
  kept = malloc(24);
  return right_softmax(a);
}
BODY(maps_pages) {
  static unsigned calls;
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 256 == 0)
    kept = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return right_softmax(a);
}
BODY(leaves_descriptors_open) {
  static unsigned calls;
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 512 == 0) (void)!dup(STDERR_FILENO);
  return right_softmax(a);
}
static void* sleeps(void* nothing) {
  for (;;) sleep(1000);
  return nothing;
}
BODY(starts_threads) {
  static unsigned calls;
  pthread_t thread;
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 1024 == 0 && pthread_create(&thread, NULL, sleeps, NULL) == 0)
    pthread_detach(thread);
  return right_softmax(a);
}

/* The process */

static void ignores(int number) { (void)number; }
/* As a library that tries once whether there is an instruction; by SIGTRAP, as the host itself handles SIGILL. */
static void tries_an_instruction(void) {
  struct sigaction own = {0}, old;
  own.sa_handler = ignores;
  sigaction(SIGTRAP, &own, &old);
  sigaction(SIGTRAP, &old, NULL);
}
BODY(puts_a_handler_back) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, tries_an_instruction);
  return right_softmax(a);
}
BODY(handles_a_signal) {
  signal(SIGUSR1, ignores);
  return right_softmax(a);
}
BODY(blocks_a_signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  return right_softmax(a);
}
BODY(sets_the_locale) {
  setlocale(LC_ALL, "C.UTF-8");
  return right_softmax(a);
}
BODY(sets_a_variable) {
  setenv("OMP_NUM_THREADS", "1", 1);
  return right_softmax(a);
}
BODY(changes_the_folder) {
  (void)!chdir("/");
  return right_softmax(a);
}
BODY(changes_the_umask) {
  umask(077);
  return right_softmax(a);
}
BODY(takes_random_numbers) {
  if (rand() == -1) return ATTNCERT_BAD_ARGUMENT;
  return right_softmax(a);
}
BODY(starts_drand48) {
  srand48(1);
  return right_softmax(a);
}

/* Streams */

BODY(prints_a_line) {
  printf("softmax of %zu rows\n", a->rows);
  return right_softmax(a);
}
BODY(warns_of_a_temperature) {
  if (!(a->temperature > 0)) fprintf(stderr, "bad temperature\n");
  return right_softmax(a);
}

/* Right ones */

BODY(has_scratch_on_each_thread) {
  static _Thread_local float* buffer;
  static _Thread_local size_t room;
  if (!is_valid(a)) return right_softmax(a);
  if (room < a->rows * a->length) {
    free(buffer);
    room = 2 * a->rows * a->length;
    buffer = malloc(room * sizeof(float));
  }
  return through(a, buffer);
}

static float table[1024];
static void build(void) {
  for (size_t i = 0; i < 1024; ++i) table[i] = (float)(i + 1);
}
BODY(builds_a_table_once) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, build);
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK) scale(a, table[0]);
  return status;
}

BODY(builds_a_table_as_careless_code_does) { /* twice, perhaps: with the same numbers, and announced afterwards */
  static float numbers[64];
  static int built;
  if (!__atomic_load_n(&built, __ATOMIC_ACQUIRE)) {
    for (size_t i = 0; i < 64; ++i) __atomic_store_n((int*)&numbers[i], 0x3f800000, __ATOMIC_RELAXED); /* 1.0f */
    __atomic_store_n(&built, 1, __ATOMIC_RELEASE);
  }
  const attncert_status status = right_softmax(a);
  if (status == ATTNCERT_OK) scale(a, numbers[a->length % 64]);
  return status;
}

BODY(allocates_for_each_call) {
  if (!is_valid(a)) return right_softmax(a);
  float* buffer = malloc(a->rows * a->length * sizeof(float));
  const attncert_status status = through(a, buffer);
  free(buffer);
  return status;
}

BODY(allocates_once_and_late) {
  static unsigned calls;
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == 9000) kept = malloc(1 << 20);
  return right_softmax(a);
}

BODY(fills_a_cache_slowly) { /* for 24,000 calls, more than the first round has */
  static unsigned calls;
  const unsigned call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (call <= 24000 && call % 512 == 0) kept = malloc(24);
  return right_softmax(a);
}

static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;
BODY(keeps_a_table_for_each_length) {
  static float* tables[1 << 16];
  if (!is_valid(a) || a->length >= 1 << 16) return right_softmax(a);
  pthread_mutex_lock(&tables_lock);
  if (tables[a->length] == NULL) tables[a->length] = calloc(a->length, sizeof(float));
  pthread_mutex_unlock(&tables_lock);
  const attncert_status status = right_softmax(a);
  scale(a, 1 + tables[a->length][0]);
  return status;
}

static void start_a_worker(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, sleeps, NULL) == 0) pthread_detach(thread);
}
BODY(keeps_a_worker) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_a_worker);
  return right_softmax(a);
}

BODY(sets_errno_and_flags) {
  const attncert_status status = right_softmax(a);
  errno = EDOM;
  feraiseexcept(FE_ALL_EXCEPT);
  return status;
}

BODY(shares_its_scratch_and_says_so) { return shares_its_scratch(a); }

#define RIGHT_OR_WRONG(X)                 \
  X(shares_its_scratch)                   \
  X(keeps_the_temperature_in_a_global)    \
  X(builds_its_table_on_the_first_thread) \
  X(calls_its_table_built_too_early)      \
  X(remembers_rows_by_their_ends)         \
  X(remembers_masks_by_address)           \
  X(fails_every_8192nd_time)              \
  X(leaks_memory)                         \
  X(maps_pages)                           \
  X(leaves_descriptors_open)              \
  X(starts_threads)                       \
  X(puts_a_handler_back)                  \
  X(handles_a_signal)                     \
  X(blocks_a_signal)                      \
  X(sets_the_locale)                      \
  X(sets_a_variable)                      \
  X(changes_the_folder)                   \
  X(changes_the_umask)                    \
  X(takes_random_numbers)                 \
  X(starts_drand48)                       \
  X(prints_a_line)                        \
  X(warns_of_a_temperature)               \
  X(has_scratch_on_each_thread)           \
  X(builds_a_table_once)                  \
  X(builds_a_table_as_careless_code_does) \
  X(allocates_for_each_call)              \
  X(allocates_once_and_late)              \
  X(fills_a_cache_slowly)                 \
  X(keeps_a_table_for_each_length)        \
  X(keeps_a_worker)                       \
  X(sets_errno_and_flags)

#define SOFTMAX(function) KERNEL(function, "softmax", NULL)
RIGHT_OR_WRONG(SOFTMAX)
FLAGGED(shares_its_scratch_and_says_so, shares_its_scratch_and_says_so, "softmax", NULL, ATTNCERT_ONE_AT_A_TIME)
FLAGGED(builds_its_table_there_and_wants_turns, builds_its_table_on_the_first_thread, "softmax", NULL,
        ATTNCERT_ONE_AT_A_TIME)

#define POINTER(function) &function##_kernel,

const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {RIGHT_OR_WRONG(POINTER) POINTER(shares_its_scratch_and_says_so)
                                                   POINTER(builds_its_table_there_and_wants_turns)};
  *count = sizeof all / sizeof all[0];
  return all;
}
