#include "reference/share_out.hpp"

#include <algorithm>
#include <atomic>

#include "reference/interval.hpp"
#include "src/core/threads.hpp"

namespace attncert {

void share_out(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work) {
  if (count < 2) {
    if (count == 1) work(0);
    return;
  }
  std::atomic<std::size_t> next{0};
  on_threads(std::min(jobs == 0 ? all_cores() : jobs, count), [&] {
    for (std::size_t n = next++; n < count; n = next++) work(n);
    release_thread_caches();
  });
}

}  // namespace attncert
