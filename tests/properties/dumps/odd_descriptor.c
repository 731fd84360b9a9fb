/* A right kernel whose descriptor says what no case can be made of: a build each with FEATURES, ROUNDING, HEAD_SIZE
 * and HAS_BACKWARD. */
#include "tests/properties/dumps/odd_attention.h"

static attncert_attention_status back(const attncert_attention_arguments* a, const attncert_attention_gradients* g) {
  (void)a, (void)g;
  return ATTNCERT_ATTENTION_DECLINED;
}

static const attncert_attention_kernel described = {ATTNCERT_ATTENTION_ABI,
                                                    sizeof(attncert_attention_kernel),
                                                    "described",
                                                    ROUNDING,
                                                    FEATURES,
                                                    ATTNCERT_F32,
                                                    ATTNCERT_F32,
                                                    HEAD_SIZE,
                                                    0,
                                                    well,
                                                    HAS_BACKWARD ? back : NULL,
                                                    0};

const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const attncert_attention_kernel* const kernels[] = {&described};
  *count = 1;
  return kernels;
}
