/* SPDX-License-Identifier: MIT
 * What a shared library of kernels (attncert/kernel.h) exports whose rows lie in memory of its own, such as that of a
 * GPU.
 */
#ifndef ATTNCERT_MEMORY_H
#define ATTNCERT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "attncert/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ATTNCERT_MEMORY_ABI 1u

/* Memory that its caller neither reads nor writes but through these functions. An address in it is a plain pointer:
 * with n added it is that of the byte n further on (CUDA's, HIP's, shared virtual memory of OpenCL and Level Zero; a
 * cl_mem is none). Where several threads may be in a kernel at once (flags) they may be in these functions, too; a
 * thread that needs a current device sets it. What a thread asks takes place in the order in which it asks, its calls
 * of kernels too, and is done when synchronize returns; copies are done when they return. A status other than
 * ATTNCERT_OK is reported as a failure of the device, and the library is loaded anew before the next call. */
typedef struct attncert_memory {
  uint32_t abi;                   /* ATTNCERT_MEMORY_ABI */
  uint32_t size;                  /* sizeof(attncert_memory) of the author; fields are only ever added at the end */
  int32_t device_type, device_id; /* DLPack's DLDeviceType (2 CUDA, 4 OpenCL, 10 ROCm, 14 oneAPI, ...) and its number */
  void* (*allocate)(size_t bytes); /* bytes > 0; aligned to 256 bytes; NULL: not to be had */
  void (*release)(void* memory);   /* what allocate gave */
  attncert_status (*copy_in)(void* to, const void* from, size_t bytes);  /* from the process's own memory */
  attncert_status (*copy_out)(void* to, const void* from, size_t bytes); /* to the process's own memory */
  attncert_status (*fill)(void* to, int byte, size_t bytes);
  attncert_status (*synchronize)(
      void); /* waits for the kernels and copies of the thread; their errors are its status */
} attncert_memory;

/* A function that a library may export beside attncert_kernels. Then input, output, mask, upstream and scratch of every
 * call of `run` lie in this memory, between bytes that are no rows; the structures, parameters too, stay in the
 * process's own. `run` may return before the device has finished. scratch_needed reads no buffer, as ever. The memory
 * lives as long as the library is loaded. */
#define ATTNCERT_MEMORY_SYMBOL "attncert_device_memory"
ATTNCERT_EXPORT const attncert_memory* attncert_device_memory(void);

#ifdef __cplusplus
}
#endif
#endif
