#include "src/core/threads.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace attncert {

std::size_t all_cores() { return std::max(1u, std::thread::hardware_concurrency()); }

void on_threads(std::size_t threads, const std::function<void()>& work) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> started;
    try {
      for (std::size_t wanted = threads == 0 ? all_cores() : threads; started.size() < wanted;)
        started.emplace_back(guarded);
    } catch (const std::system_error&) {
      if (started.empty()) guarded();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace attncert
