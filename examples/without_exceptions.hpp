// SPDX-License-Identifier: MIT
// What adapters in C++ share whose library may throw: no exception leaves a C function, it answers with a status.
#pragma once
#include <attncert/attention.h>

#include <new>

// The call as a function of attncert_attention_kernel, as without_exceptions<f> for a function f of the same arguments.
// What a library throws beside std::bad_alloc says that it does not serve the call. f writes after all that may throw.
template <auto kCall, class... Arguments>
attncert_attention_status without_exceptions(Arguments... arguments) {
  try {
    return kCall(arguments...);
  } catch (const std::bad_alloc&) {
    return ATTNCERT_ATTENTION_NO_RESOURCES;
  } catch (...) {
    return ATTNCERT_ATTENTION_DECLINED;
  }
}
