#include "src/core/threads.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace attncert {

std::size_t all_cores() { return std::max(1u, std::thread::hardware_concurrency()); }

void on_threads(std::size_t threads, const std::function<void()>& work) {
  std::vector<std::jthread> started;
  try {
    for (std::size_t wanted = threads == 0 ? all_cores() : threads; started.size() < wanted;)
      started.emplace_back(work);
  } catch (const std::system_error&) {
    if (started.empty()) work();
  }
}

}  // namespace attncert
