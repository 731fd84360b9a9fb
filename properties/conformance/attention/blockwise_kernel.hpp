// Descriptors of kernels of attention over blocks of keys.
#pragma once

#include "properties/conformance/attention/blockwise_attention.hpp"

namespace attncert {

template <AttentionForm kForm>
attncert_attention_status run_blockwise(const attncert_attention_arguments* arguments) {
  return blockwise_attention(*arguments, kForm);
}

inline attncert_attention_kernel blockwise_descriptor(const char* name, const char* rounding, attncert_dtype dtype,
                                                      decltype(attncert_attention_kernel::run) run,
                                                      decltype(attncert_attention_kernel::run_backward) run_backward) {
  return {ATTNCERT_ATTENTION_ABI,
          sizeof(attncert_attention_kernel),
          name,
          rounding,
          "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,batches,nan-padding,value-size,empty-rows",
          dtype,
          dtype,
          8,  // of heads: what faults get wrong does not depend on it, and the truth of a case takes as much less
          0,
          run,
          run_backward,
          dtype};
}

template <AttentionForm kForm>
const attncert_attention_kernel* blockwise_kernel(const char* name, const char* rounding) {
  static const attncert_attention_kernel descriptor =
      blockwise_descriptor(name, rounding, kForm.dtype, run_blockwise<kForm>, nullptr);
  return &descriptor;
}

}  // namespace attncert
