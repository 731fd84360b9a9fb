#include "properties/conformance/accuracy/share_out.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "reference/interval.hpp"

namespace attncert {

void share_out(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work) {
  if (count < 2) {
    if (count == 1) work(0);
    return;
  }
  std::atomic<std::size_t> next{0};
  const auto thread = [&] {
    for (std::size_t n = next++; n < count; n = next++) work(n);
    release_thread_caches();
  };
  std::vector<std::jthread> threads;
  for (unsigned n = 0; n < (jobs == 0 ? std::max(1u, std::thread::hardware_concurrency()) : jobs); ++n)
    threads.emplace_back(thread);
}

}  // namespace attncert
