// Work on many threads whose results are taken in their order, by one at a time: the outcome does not depend on the
// number of threads, and no more than a few results wait.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "src/core/result.hpp"
#include "src/core/threads.hpp"

namespace attncert::cli {

// An exception on a thread would end the program: it becomes the Error.
template <class Value, class Work>
Result<Value> caught(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{"out of memory; use fewer --jobs or --queries, or give it more"};
  } catch (const std::exception& error) {
    return Error{std::string(error.what()) + "; check the disk and the memory"};
  }
}

// Computes items first .. last-1; take(item, result) is called in that order under a lock. Ends early, after the items
// that are in work, when `stop` becomes true; at the Error of the lowest item, which is returned.
template <class Item>
Result<Done> in_order(std::size_t first, std::size_t last, std::size_t jobs, const std::atomic<bool>& stop,
                      const std::function<Result<Item>(std::size_t)>& compute,
                      const std::function<Result<Done>(std::size_t, Item)>& take) {
  std::mutex mutex;
  std::condition_variable moved;
  std::map<std::size_t, Result<Item>> waiting;
  std::size_t next = first, wanted = first;  // to compute, to take
  std::optional<Error> failure;
  jobs = std::max<std::size_t>(1, std::min(jobs, last - first));
  const auto work = [&] {
    std::unique_lock lock(mutex);
    for (;;) {
      // A result far ahead of the others would only wait for them.
      moved.wait(lock, [&] { return failure || next >= last || next < wanted + 2 * jobs; });
      if (failure || stop || next >= last) return;
      const std::size_t item = next++;
      lock.unlock();
      Result<Item> result = caught<Item>([&] { return compute(item); });
      lock.lock();
      waiting.emplace(item, std::move(result));
      for (auto ready = waiting.find(wanted); ready != waiting.end() && !failure; ready = waiting.find(wanted)) {
        const Result<Done> taken = ready->second ? caught<Done>([&] { return take(wanted, *std::move(ready->second)); })
                                                 : Result<Done>(ready->second.error());
        if (!taken) failure = taken.error();
        waiting.erase(ready);
        ++wanted;
      }
      moved.notify_all();
    }
  };
  on_threads(jobs, work);
  if (failure) return *failure;
  return Done{};
}

}  // namespace attncert::cli
