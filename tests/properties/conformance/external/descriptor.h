/* The descriptors of the bad libraries: kernels of f32 that keep the default contract, named after their functions
 * unless another name is given. */
#ifndef ATTNCERT_TESTS_EXTERNAL_DESCRIPTOR_H
#define ATTNCERT_TESTS_EXTERNAL_DESCRIPTOR_H

#include <stddef.h>

#include "attncert/kernel.h"

#define FLAGGED(name, function, normalizer, scratch, flags)              \
  static const attncert_kernel name##_kernel = {ATTNCERT_KERNEL_ABI,     \
                                                sizeof(attncert_kernel), \
                                                #name,                   \
                                                normalizer,              \
                                                ATTNCERT_F32,            \
                                                ATTNCERT_F32,            \
                                                "baseline",              \
                                                "default",               \
                                                function,                \
                                                scratch,                 \
                                                NULL,                    \
                                                flags};

#define NAMED(name, function, normalizer, scratch) FLAGGED(name, function, normalizer, scratch, 0)

#define KERNEL(function, normalizer, scratch) NAMED(function, function, normalizer, scratch)

#endif
