// The host's end of the socket, and the signal handler that sends the last message when a kernel crashes.
#pragma once

#include "properties/conformance/external/protocol.hpp"

namespace attncert::external {

// Both transfer whole structures, and return false when the parent is gone.
bool receive(void* into, std::size_t bytes);
bool send(const void* from, std::size_t bytes);

// Tells the parent that a run begins, so that the time limit starts again, and sets the limits that hold without a
// parent.
void begin_run(Run run, std::uint64_t cpu_seconds);
// The last run of a request has ended: the parent takes what time it likes until it asks again.
void end_runs();

// Sends a last message, of Kind::fault with the finding, and ends the process: the parent starts another.
[[noreturn]] void end_process(Finding finding);

// From here on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT send a message of Kind::fault and end the process.
void catch_faults();

}  // namespace attncert::external
