#include "src/core/threads.hpp"

#include <algorithm>
#include <atomic>
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

void each_on_threads(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  on_threads(std::min(threads == 0 ? all_cores() : threads, std::max<std::size_t>(count, 1)), [&] {
    for (std::size_t mine = next++; mine < count; mine = next++) work(mine);
  });
}

}  // namespace attncert
