// A call on its way through the shared memory: its rows are laid out densely behind the request (protocol.hpp) before
// the host is asked, and the output is read from there afterwards.
#pragma once

#include "attncert/kernel.h"
#include "properties/conformance/external/protocol.hpp"
#include "properties/conformance/external/shared_memory.hpp"

namespace attncert::external {

// False for what cannot be copied: null buffers, strides below the length, a structure of an older version.
bool can_be_placed(const attncert_arguments* arguments);

// Completes `request` (kernel, runs and limits are the caller's) from the arguments and writes both it and the rows
// into the memory, from `at` on. The next request's place is its `end`, which is 0 when there is no memory left.
Request place(SharedMemory& memory, std::uint64_t at, Request request, const attncert_arguments& arguments,
              attncert_dtype dtype_in, attncert_dtype dtype_out);

// Copies the output of an answered request to where the arguments want it.
void take_output(const SharedMemory& memory, const Request& request, const attncert_arguments& arguments,
                 attncert_dtype dtype_out);

}  // namespace attncert::external
