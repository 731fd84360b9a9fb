// Split-KV (Dao et al. 2023, "Flash-Decoding"): the keys in parts of equal length, each attended by itself, and the
// parts merged by their LSE: for few queries and many keys, where there is too little else to share out.
#pragma once

#include <cstddef>

#include "attncert/attention.h"

namespace attncert {

// As attention() (src/attention/attention.hpp), the keys of each batch in `parts` parts, at least 1, all of which are
// shared out to as many threads as are asked for, at least 1. The class is f32-split-N with N parts. A row's result
// depends on its own arguments, the number of parts and its batch's length, which the parts cut, bit for bit but for
// the sign of a zero: on no other row of the call, not on the threads, and not on padding. Memory besides is that of
// attention() for the keys of one part a thread, and o and LSE in f32 a part.
attncert_attention_status split_attention(const attncert_attention_arguments& arguments, attncert_dtype dtype,
                                          std::size_t parts, std::size_t threads);

}  // namespace attncert
