// Attention as the plain reference of half precision computes it: each tensor between two operations is rounded to the
// type of q. The rules that compare a kernel's error with such a reference's are computed with it.
#pragma once

#include "attncert/attention.h"

namespace attncert {

// Its scores: q and the keys times the scale, then softcap, bias and slopes; its weights are divided before they meet
// the values (flash-attention's attention_ref with upcast=False and reorder_ops=True). Sums run in f32, as products of
// matrices in PyTorch do. A row without a key is 0, with LSE -inf.
attncert_attention_status plain_reference(const attncert_attention_arguments& arguments, attncert_dtype dtype);

}  // namespace attncert
