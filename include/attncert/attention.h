/* SPDX-License-Identifier: MIT
 * The interface of an attention kernel (its ABI): a C descriptor, exported by a shared library.
 *
 * For every batch b, head h and query i, over the keys j that the row keeps:
 *   x_j = softcap(scale q_i . k_j) + bias_ij + slope_h d_ij     softcap(x) = C tanh(x / C) with C > 0, else x
 *   o_i = sum_j e^(x_j - lse_i) v_j                             lse_i = ln(sum_j e^(x_j) + e^sink_h)
 * Head h reads KV head h / (heads / kv_heads). With D = i + causal_offset, d_ij is j - D with ATTNCERT_CAUSAL, else
 * -|j - D|. The row keeps the keys j < lengths[b], with mask_ij != 0, j <= D with ATTNCERT_CAUSAL, j > D - window
 * with window > 0, and j < D + window_after with window_after > 0. What the others hold has no influence: no finite
 * number, and no NaN where `features` names nan-padding. What is NULL, or 0 where it says so, is not there. A row that
 * keeps no key has o = 0 and lse = -inf, or
 * the sink.
 * Where `features` names propagates-nan, a score that is NaN makes the row of o NaN, and lse NaN or infinite; a value
 * that is NaN or infinite makes its channel so, and no other, unless the key's weight vanishes.
 *
 * Rows are aligned to one entry of their type, no more. The stride of an axis of one entry may be 0 and is not read; an
 * axis of what is read may have stride 0, where all its rows are one. Axes may lie in any order, each stepping over all
 * that those of smaller steps reach. Outputs share no memory with anything else.
 * A head whose sink is -inf has none. scale is finite, not 0, and may be negative; softcap is finite.
 *
 * A kernel writes every entry of o, and of lse where it is not NULL, and nothing else, when it returns
 * ATTNCERT_ATTENTION_OK, and nothing at all otherwise. It leaves the process as it was (the floating-point environment,
 * signal handlers, the locale and the like), prints nothing, takes no more and more of memory, descriptors or threads,
 * and its outputs depend on nothing but its arguments' contents, unless it says ATTNCERT_ATTENTION_VARIES. Rounding is
 * what its class promises (docs/attention-bounds.md): that class's proved bound is what each entry is held to. Fields
 * are only ever added at the end; `size` tells which ones the author knew.
 */
#ifndef ATTNCERT_ATTENTION_H
#define ATTNCERT_ATTENTION_H

#include "attncert/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ATTNCERT_ATTENTION_ABI 1u

typedef enum attncert_attention_status {
  ATTNCERT_ATTENTION_OK = 0,
  ATTNCERT_ATTENTION_DECLINED = 1,     /* a valid call that the kernel does not serve */
  ATTNCERT_ATTENTION_BAD_ARGUMENT = 2, /* no valid call */
  ATTNCERT_ATTENTION_NO_RESOURCES = 3  /* memory, or a device, that the call needs is not to be had */
} attncert_attention_status;

/* Entry e of row r of head h of batch b is at element b * batch_stride + h * head_stride + r * row_stride + e. */
typedef struct attncert_tensor {
  void* data; /* of the arguments only o's is written to; rows of what is written do not overlap */
  size_t batch_stride, head_stride, row_stride;
} attncert_tensor;

#define ATTNCERT_CAUSAL 1u

typedef struct attncert_attention_arguments {
  uint32_t size;  /* sizeof(attncert_attention_arguments) of the caller */
  uint32_t flags; /* 0, or ATTNCERT_CAUSAL */
  size_t batches, heads, kv_heads, queries, keys, head_size, value_size; /* all at least 1; kv_heads divides heads */
  attncert_tensor q, k, v;     /* of the descriptor's types; rows of head_size, head_size and value_size entries */
  attncert_tensor o;           /* of the descriptor's dtype_out; rows of value_size entries */
  float* lse;                  /* batches x heads x queries, row-major, or NULL */
  attncert_tensor bias;        /* f32, a row a query, `keys` entries; data NULL: none. -inf masks */
  attncert_tensor mask;        /* bytes, as bias; data NULL: every key is kept */
  const float *sinks, *slopes; /* one a head, or NULL */
  const size_t* lengths;       /* one a batch, at most keys, or NULL */
  float scale, softcap;        /* scale: not 0; softcap: 0, or C > 0 */
  int64_t causal_offset;
  size_t window; /* 0: none */
  /* One a KV head, finite and above 0, or NULL: k_j is k_scale times what is stored, v_j likewise. */
  const float *k_scale, *v_scale;
  size_t window_after; /* 0: none */
} attncert_attention_arguments;

/* The backward pass of a call: from dO, the gradient of o, and the o and lse that the arguments hold, which are read
 * here. With w_ij = e^(x_ij - lse_i), D_i = dO_i . o_i, and s_ij = 1 - tanh^2(scale q_i . k_j / C) under a softcap,
 * else 1, over the keys that each row keeps:
 *   dS_ij = w_ij (dO_i . v_j - D_i) s_ij                  dV_j = sum_i w_ij dO_i
 *   dQ_i = scale sum_j dS_ij k_j                          dK_j = scale sum_i dS_ij q_i
 *   dsink_h = -sum_i e^(sink_h - lse_i) D_i
 * Sums over i take all queries of all heads that read the KV head; dsink takes those of its head, in all batches. A row
 * that keeps no key has dQ = 0 and adds nothing; a key that no row keeps has dK = dV = 0. */
typedef struct attncert_attention_gradients {
  uint32_t size;              /* sizeof(attncert_attention_gradients) of the caller */
  attncert_tensor d_o;        /* of the type and shape of o; read */
  attncert_tensor dq, dk, dv; /* of the type and shape of q, k and v; written to */
  float* dsinks;              /* one a head, written to; NULL where there are no sinks */
} attncert_attention_gradients;

/* Two calls with the same arguments may round differently, as where threads add in any order. */
#define ATTNCERT_ATTENTION_VARIES 1u
/* The kernel's LSE is to base 2, lse / ln 2, also as its backward pass reads it. */
#define ATTNCERT_ATTENTION_LSE_BASE_2 2u
/* The kernel knows no LSE: it is called with lse NULL, forward and backward. */
#define ATTNCERT_ATTENTION_NO_LSE 4u
/* Any thread may call it, but not two at once. Without it any number may, each with outputs of its own. */
#define ATTNCERT_ATTENTION_ONE_AT_A_TIME 8u

typedef struct attncert_attention_kernel {
  uint32_t abi;     /* ATTNCERT_ATTENTION_ABI */
  uint32_t size;    /* sizeof(attncert_attention_kernel) of the author */
  const char* name; /* unique, e.g. "flash.f32"; letters, digits, '.', '-' and '_' */
  const char*
      rounding; /* its rounding class, e.g. "f32-block-64"; "" is the one that suits its formats (docs/dumps.md) */
  const char* features; /* what it is asked for beside q, k and v, between commas: "causal,heads" (attncert cases) */
  attncert_dtype dtype, dtype_out; /* of q, and of o: f32, f16 or bf16 */
  uint32_t head_size;              /* of the cases that it is given; 0: 64 */
  uint32_t flags;                  /* 0, or some of the four above */
  attncert_attention_status (*run)(const attncert_attention_arguments* arguments);
  /* NULL: none. Its gradients are held to the same class; status and what may be written are as those of run. */
  attncert_attention_status (*run_backward)(const attncert_attention_arguments* arguments,
                                            const attncert_attention_gradients* gradients);
  /* Of k and v, as a KV cache may have them: f32, f16 or bf16; without a backward pass E4M3 or E5M2; 0: dtype. */
  attncert_dtype dtype_kv;
} attncert_attention_kernel;

/* What a shared library of attention kernels exports: an array of *count descriptors, *count from 1 to 64, which live
 * as long as the library is loaded. `attncert judge FOLDER --library FILE` runs them in a process of their own. */
#define ATTNCERT_ATTENTION_KERNELS_SYMBOL "attncert_attention_kernels"
ATTNCERT_EXPORT const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count);

#ifdef __cplusplus
}
#endif
#endif
