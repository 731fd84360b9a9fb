// The element types of a call.
#pragma once

#include "attncert/kernel.h"

namespace attncert {

struct AttentionTypes {
  // Each f32, f16 or bf16, and of the forward pass kv E4M3 or E5M2; dq is of q's, dk and dv of kv's, dO of out's.
  attncert_dtype q, kv, out;

  // One type for all is what most calls have.
  constexpr AttentionTypes(attncert_dtype all) : AttentionTypes(all, all, all) {}
  constexpr AttentionTypes(attncert_dtype of_q, attncert_dtype of_kv, attncert_dtype of_out)
      : q(of_q), kv(of_kv), out(of_out) {}
};

}  // namespace attncert
