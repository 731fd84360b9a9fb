// All pieces are done, whatever number of threads the system grants.
#include "src/core/threads.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <new>
#include <set>
#include <thread>

namespace attncert {
namespace {

TEST(Threads, AsManyAsAskedFor) {
  std::atomic<std::size_t> runs{0};
  on_threads(3, [&] { ++runs; });
  EXPECT_EQ(runs, 3u);
  runs = 0;
  on_threads(0, [&] { ++runs; });
  EXPECT_EQ(runs, all_cores());
}

TEST(Threads, WhatOneThrowsReachesTheCallerWhenAllHaveEnded) {
  std::atomic<std::size_t> runs{0};
  EXPECT_THROW(on_threads(3,
                          [&] {
                            if (++runs == 2) throw std::bad_alloc();
                          }),
               std::bad_alloc);
  EXPECT_EQ(runs, 3u);
}

TEST(Threads, TheCallersOwnWhereAllAreRefused) {
  pthread_attr_t before, refused;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_attr_init(&refused), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&refused, std::size_t{1} << 62), 0);  // beyond every address space
  ASSERT_EQ(pthread_setattr_default_np(&refused), 0);
  std::set<std::thread::id> ran_on;
  on_threads(4, [&] { ran_on.insert(std::this_thread::get_id()); });
  pthread_setattr_default_np(&before);
  EXPECT_EQ(ran_on, std::set{std::this_thread::get_id()});
}

}  // namespace
}  // namespace attncert
