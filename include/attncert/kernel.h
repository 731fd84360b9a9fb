/* The one door to a kernel: a C descriptor that a shared library or the suite's own registry hands over.
 *
 * A kernel turns `rows` rows of `length` logits into `rows` rows of `length` outputs. Row r starts at element
 * r * stride of its buffer; elements of a row are adjacent. Input and output never alias. A kernel is total: it
 * never throws, traps, allocates visibly or changes the floating-point environment, and it writes every element
 * of every output row (and nothing else) whenever it returns ATTNCERT_OK; it writes nothing otherwise.
 *
 * Versioning: `abi` changes when a meaning changes; fields are only ever added at the end, and `size` tells which
 * ones the author knew.
 */
#ifndef ATTNCERT_KERNEL_H
#define ATTNCERT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATTNCERT_KERNEL_ABI 1u

typedef enum attncert_dtype { ATTNCERT_F32 = 1, ATTNCERT_F64 = 2, ATTNCERT_F16 = 3, ATTNCERT_BF16 = 4 } attncert_dtype;

typedef enum attncert_status {
  ATTNCERT_OK = 0,
  ATTNCERT_BAD_TEMPERATURE = 1, /* zero, negative, NaN or infinite; nothing written */
  ATTNCERT_BAD_ARGUMENT = 2,    /* null buffer with rows * length > 0, or a stride shorter than length with rows > 1 */
  ATTNCERT_SHORT_SCRATCH = 3    /* scratch_bytes smaller than scratch_needed(arguments) */
} attncert_status;

typedef struct attncert_arguments {
  uint32_t size; /* sizeof(attncert_arguments) of the caller */
  uint32_t reserved;
  size_t rows, length;
  size_t input_stride, output_stride, mask_stride; /* in elements of the buffer they belong to */
  const void* input;                               /* dtype_in */
  void* output;                                    /* dtype_out */
  const uint8_t* mask;                             /* 1 = keep, 0 = masked; NULL = keep all */
  double temperature;                              /* T > 0: the mathematics is softmax(z / T) */
  const void* parameters;                          /* per normalizer (alpha, k, ...); NULL = defaults */
  const void* upstream;                            /* gradient of the output, for derivatives; NULL = forward */
  void* scratch;                                   /* aligned to 64 bytes; NULL allowed when none is needed */
  size_t scratch_bytes;
} attncert_arguments;

typedef struct attncert_kernel {
  uint32_t abi;           /* ATTNCERT_KERNEL_ABI */
  uint32_t size;          /* sizeof(attncert_kernel) of the author */
  const char* name;       /* unique, e.g. "softmax.f32" */
  const char* normalizer; /* the mathematics it claims to compute: "softmax", "log-softmax", "sparsemax" */
  attncert_dtype dtype_in, dtype_out;
  const char* isa;      /* instruction set, or "dispatch" when it chooses at run time */
  const char* contract; /* how degenerate rows are treated: "default" (docs/contracts.md) */
  attncert_status (*run)(const attncert_arguments* arguments);
  size_t (*scratch_needed)(const attncert_arguments* arguments); /* bytes; NULL = none */
} attncert_kernel;

#ifdef __cplusplus
}
#endif
#endif
