// The element types of a call.
#pragma once

#include "attncert/kernel.h"

namespace attncert {

struct AttentionTypes {
  attncert_dtype q, kv, out;  // each f32, f16 or bf16; dq is of q's, dk and dv of kv's, dO of out's

  // One type for all is what most calls have.
  constexpr AttentionTypes(attncert_dtype all) : AttentionTypes(all, all, all) {}
  constexpr AttentionTypes(attncert_dtype of_q, attncert_dtype of_kv, attncert_dtype of_out)
      : q(of_q), kv(of_kv), out(of_out) {}
};

}  // namespace attncert
