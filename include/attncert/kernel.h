/* SPDX-License-Identifier: MIT
 * The interface of a kernel (its ABI): a C descriptor, exported by a shared library or listed in the suite's registry.
 *
 * A kernel turns `rows` rows of `length` logits into `rows` rows of `length` outputs. Row r of a buffer starts at its
 * element r * stride; elements of a row are adjacent. The end states what else a caller promises. A kernel is total:
 * it never throws, traps, allocates visibly or changes the floating-point environment, and it writes every element of
 * every output row (and nothing else) whenever it returns ATTNCERT_OK; it writes nothing otherwise. Where there are no
 * rows, or rows of length 0, there is nothing to write: buffers and scratch may be null, and the status is ATTNCERT_OK
 * (unless temperature or parameters are out of range: then either status is right). Strides mean nothing for one row;
 * mask_stride and upstream_stride mean nothing where their buffer is null.
 *
 * The output depends on the arguments alone: not on earlier calls, nor on calls that other threads make at the same
 * time (flags). Beside the output rows and scratch a call leaves the process as it was: its signal handlers, locale,
 * environment variables and streams, and after any number of calls its memory, descriptors and threads. errno and the
 * floating-point exception flags may change, and a first call may build tables.
 *
 * Versioning: `abi` changes when a meaning changes; fields are only ever added at the end, and `size` tells which ones
 * the author knew. A kernel reads nothing beyond the `size` of a structure, and accepts larger structures. The first
 * published attncert_arguments ends with upstream_stride: fewer bytes are ATTNCERT_BAD_ARGUMENT.
 */
#ifndef ATTNCERT_KERNEL_H
#define ATTNCERT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATTNCERT_KERNEL_ABI 1u

typedef enum attncert_dtype {
  ATTNCERT_F32 = 1,
  ATTNCERT_F64 = 2,
  ATTNCERT_F16 = 3,
  ATTNCERT_BF16 = 4,
  ATTNCERT_E4M3 = 5, /* of eight bits, as the OCP specification OFP8 has them: k and v of attention only */
  ATTNCERT_E5M2 = 6
} attncert_dtype;

typedef enum attncert_status {
  ATTNCERT_OK = 0,
  ATTNCERT_BAD_TEMPERATURE = 1, /* zero, negative, NaN or infinite; nothing written */
  ATTNCERT_BAD_ARGUMENT = 2, /* null buffer (input, output, a derivative's upstream) with rows * length > 0, or a stride
                                   of a buffer, a mask's included, shorter than length with rows > 1; nothing written */
  /* scratch_bytes smaller than scratch_needed(arguments), with rows * length > 0; nothing written */
  ATTNCERT_SHORT_SCRATCH = 3,
  ATTNCERT_BAD_PARAMETER = 4, /* a parameter outside its range; nothing written */
  ATTNCERT_NO_RESOURCES = 5   /* memory, or a device, that a valid call needs is not to be had; nothing written */
} attncert_status;

/* What some normalizers need beside T. A normalizer reads its own fields only; a field beyond `size` has its
 * default. */
typedef struct attncert_parameters {
  uint32_t size;                               /* sizeof(attncert_parameters) of the caller */
  uint32_t order;                              /* taylor-softmax: even order >= 2; default 2 */
  uint64_t alpha_numerator, alpha_denominator; /* entmax: alpha = numerator / denominator > 1; default 3 / 2 */
  uint64_t k;                                  /* top-k-softmax: how many, >= 1; default 8 */
  double scale;                                /* ssmax: s, finite; default 1 */
  double bias;                                 /* sigmoid: b, finite; default 0 */
} attncert_parameters;

/* attncert_parameters p = ATTNCERT_DEFAULT_PARAMETERS; */
#define ATTNCERT_DEFAULT_PARAMETERS \
  { sizeof(attncert_parameters), 2, 3, 2, 8, 1, 0 }

typedef struct attncert_arguments {
  uint32_t size; /* sizeof(attncert_arguments) of the caller */
  uint32_t reserved;
  size_t rows, length;
  size_t input_stride, output_stride, mask_stride; /* in elements of the buffer they belong to */
  const void* input;                               /* dtype_in */
  void* output;                                    /* dtype_out */
  const uint8_t* mask;                             /* 1 = keep, 0 = masked; NULL = keep all */
  double temperature;                              /* T > 0: the mathematics is softmax(z / T) */
  const void* parameters;                          /* attncert_parameters; NULL = defaults */
  const void* upstream; /* dtype_in: gradient of the output, for derivatives; NULL = forward */
  void* scratch;        /* aligned to 64 bytes; NULL allowed when none is needed */
  size_t scratch_bytes;
  size_t upstream_stride; /* in elements */
} attncert_arguments;

#define ATTNCERT_ONE_AT_A_TIME 1u

typedef struct attncert_kernel {
  uint32_t abi;     /* ATTNCERT_KERNEL_ABI */
  uint32_t size;    /* sizeof(attncert_kernel) of the author */
  const char* name; /* unique, e.g. "softmax.f32" */
  /* the mathematics it claims to compute, as `attncert list --normalizers` names it; "softmax-vjp" and the like are
   * derivatives: they turn logits and upstream g into the gradient J^T g */
  const char* normalizer;
  attncert_dtype dtype_in, dtype_out;
  const char* isa;      /* instruction set, or "dispatch" when it chooses at run time */
  const char* contract; /* how degenerate rows are treated: "default" (docs/contracts.md) */
  attncert_status (*run)(const attncert_arguments* arguments);
  size_t (*scratch_needed)(const attncert_arguments* arguments); /* bytes; NULL = none, ever; see the end */
  /* NULL: the error bound of the suite's own kernel; else the arithmetic that the kernel has, which says what it may
   * err by: "plain", "plain+running", "plain+online=128+exp=2" (docs/budgets.md). Another word is refused. */
  const char* budget;
  uint64_t flags; /* 0, or ATTNCERT_ONE_AT_A_TIME: any thread may call it, but not two at once */
} attncert_kernel;

/* The one function that a shared library of kernels exports. Returns an array of *count descriptors, *count from 1 to
 * 64, which live, with their strings, as long as the library is loaded; the same at every call. `attncert accuracy
 * --library FILE` loads FILE into a process of its own, asks once, copies the descriptors and calls the functions (from
 * several threads in one check). Leave out kernels that this machine cannot run. A descriptor whose `abi` differs from
 * the suite's, or whose `size` ends before `scratch_needed` does, is refused, and the library with it.
 */
#define ATTNCERT_KERNELS_SYMBOL "attncert_kernels"
#if defined(__GNUC__)
#define ATTNCERT_EXPORT __attribute__((visibility("default")))
#else
#define ATTNCERT_EXPORT
#endif
ATTNCERT_EXPORT const attncert_kernel* const* attncert_kernels(size_t* count);

#ifdef __cplusplus
}
#endif

/* What a caller promises. Input, output and upstream are aligned to the size of one element, the mask to nothing,
 * scratch to 64 bytes, the structures as C aligns them; no buffer to more than that. Output and scratch overlap no
 * other buffer and no structure: a kernel need not work in place, and the suite never asks yours to. (Its own kernels
 * do work in place, where output is input and their strides are equal.)
 *
 * What scratch_needed promises. It is as total as run. It reads no buffer, nor the mask, so its answer is the same
 * while buffers and scratch are still null. For arguments that run refuses for another reason than a null buffer, or
 * where there is nothing to write, it may give any number, and does nothing else.
 */
#endif
