// The host's end of the socket, and the handler that sends the last message of a process that a kernel has brought down.
#pragma once

#include "properties/conformance/external/protocol.hpp"

namespace attncert::foreign {

// Whole structures; false when the parent is gone.
bool receive(void* into, std::size_t bytes);
bool send(const void* from, std::size_t bytes);

// Tells the parent which run begins, so that each has the whole time limit, and arms the limits that hold without a parent.
void begin_run(Run run, std::uint64_t cpu_seconds);

// SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT become a message of Kind::fault, and the end of the process.
void catch_faults();

}  // namespace attncert::foreign
