#include "properties/conformance/accuracy/share_out.hpp"

#include <atomic>

#include "reference/interval.hpp"
#include "src/core/threads.hpp"

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
  on_threads(jobs, thread);
}

}  // namespace attncert
