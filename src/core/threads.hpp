// Work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace attncert {

// One per core that this process may use, 1 at least.
std::size_t all_cores();

// Runs `work` on so many threads at once (0: one per core) and returns when all have ended. Where the system refuses a
// thread, fewer do the work; where it refuses all, the caller's own does. So `work` is to take its pieces from a common
// store until none is left. What `work` throws, the first of several, is thrown when all have ended.
void on_threads(std::size_t threads, const std::function<void()>& work);

}  // namespace attncert
