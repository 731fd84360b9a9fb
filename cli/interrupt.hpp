// Ctrl-C: long work asks for it and ends in order.
#pragma once

#include <atomic>

namespace attncert::cli {

extern std::atomic<bool> stop;  // set by the first SIGINT or SIGTERM after stop_on_signals(), or by who has to end

void stop_on_signals();

}  // namespace attncert::cli
