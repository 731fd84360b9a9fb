// How a call goes over its heads, and what it answers where memory ends.
#pragma once

#include <new>
#include <stdexcept>

#include "src/attention/kv_head.hpp"

namespace attncert {

// visit(first, last) with the query heads of each KV head of each batch, which is loaded.
template <class Visit>
void each_kv_head(const attncert_attention_arguments& a, KvHead& kv, Visit visit) {
  for (std::size_t b = 0; b < a.batches; ++b)
    for (std::size_t h = 0; h < a.kv_heads; ++h) {
      kv.load(b, h);
      visit(h * (a.heads / a.kv_heads), (h + 1) * (a.heads / a.kv_heads));
    }
}

// Memory is had before anything is written.
template <class Run>
attncert_attention_status where_memory_is(Run run) try {
  run();
  return ATTNCERT_ATTENTION_OK;
} catch (const std::bad_alloc&) {
  return ATTNCERT_ATTENTION_NO_RESOURCES;
} catch (const std::length_error&) {
  return ATTNCERT_ATTENTION_NO_RESOURCES;
}

}  // namespace attncert
