/* Libraries that cannot be used, one per value of FAULT. Number 11 can be loaded, and declares what is no contract;
 * number 13 where its process may map more than 16 GiB, as drivers of GPUs do; of 14 to 16 the memory is none. */
#include <stdlib.h>
#include <sys/mman.h>

#include "attncert/kernel.h"
#include "attncert/memory.h"
#include "attncert/version.h"

#if FAULT == 1 /* no entry point */
int nothing_of_interest(void) { return 1; }
#else
static attncert_status run(const attncert_arguments* a) { return a == NULL ? ATTNCERT_BAD_ARGUMENT : ATTNCERT_OK; }
static const attncert_kernel one = {FAULT == 2 ? 99u : ATTNCERT_KERNEL_ABI,
                                    FAULT == 3 ? 16 : sizeof(attncert_kernel),
                                    FAULT == 4 ? NULL : "one",
                                    FAULT == 5 ? "no-such-normalizer" : "softmax",
                                    ATTNCERT_F32,
                                    ATTNCERT_F32,
                                    "baseline",
                                    FAULT == 11 ? "nan-row" : "default",
                                    FAULT == 6 ? NULL : run,
                                    NULL,
                                    NULL,
                                    FAULT == 10 ? 6 : 0};
static const attncert_kernel* const all[] = {&one, &one};

const attncert_kernel* const* attncert_kernels(size_t* count) {
  *count = FAULT == 7 ? 0 : FAULT == 8 ? 2 : 1;
  return all;
}
#if FAULT == 12
const char* attncert_version(void) { return ""; }
#endif
#if FAULT >= 14
static attncert_status nothing(void) { return ATTNCERT_OK; }
static const attncert_memory no_memory = {FAULT == 14 ? 99u : ATTNCERT_MEMORY_ABI,
                                          FAULT == 15 ? 16 : sizeof no_memory,
                                          2,
                                          0,
                                          NULL,
                                          NULL,
                                          NULL,
                                          NULL,
                                          NULL,
                                          nothing};
const attncert_memory* attncert_device_memory(void) { return &no_memory; }
#endif
#if FAULT == 13
__attribute__((constructor)) static void maps_much(void) {
  if (mmap(NULL, (size_t)32 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    abort();
}
#endif
#if FAULT == 9
__attribute__((constructor)) static void dies(void) { abort(); }
#endif
#endif
