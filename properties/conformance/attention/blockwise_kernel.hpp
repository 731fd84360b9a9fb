// A kernel's descriptor of attention over blocks of keys in one form.
#pragma once

#include "properties/conformance/attention/blockwise_attention.hpp"

namespace attncert {

template <AttentionForm kForm>
attncert_attention_status run_blockwise(const attncert_attention_arguments* arguments) {
  return blockwise_attention(*arguments, kForm);
}

template <AttentionForm kForm>
const attncert_attention_kernel* blockwise_kernel(const char* name, const char* rounding) {
  static const attncert_attention_kernel descriptor{
      ATTNCERT_ATTENTION_ABI,
      sizeof(attncert_attention_kernel),
      name,
      rounding,
      "causal,window,mask,bias,softcap,sinks,slopes,lengths,heads,batches,nan-padding,value-size,empty-rows",
      kForm.dtype,
      kForm.dtype,
      8,  // of heads: what faults get wrong does not depend on it, and the truth of a case takes as much less
      0,
      run_blockwise<kForm>,
      nullptr,
      kForm.dtype};
  return &descriptor;
}

}  // namespace attncert
