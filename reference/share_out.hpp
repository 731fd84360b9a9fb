// Work with intervals on threads, which give back at their end what the engine keeps for each.
#pragma once

#include <cstddef>
#include <functional>

namespace attncert {

// Does work(n) for n = 0 .. count - 1 on `jobs` threads (0 = one per core); a single piece on the caller's own.
void share_out(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work);

}  // namespace attncert
